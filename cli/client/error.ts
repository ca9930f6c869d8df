// Owns what a user is told when an agent refused a request or could not be reached.

import { SdlError } from '../../src/errors.ts';
import { RemoteError } from '../../src/client/index.ts';
import { TransportError } from '../../src/transport.ts';
import { CliError, failure } from '../kit/exit.ts';
import { PROGRAM } from '../kit/help.ts';
import { tlsWords, toCliError } from '../kit/thrown.ts';

/** What mends the refusals that users run into first. */
const NEXT: Readonly<Record<string, string>> = {
  SECURITY_UNSUPPORTED:
    'the agent does not say why; its operator sees it. Perhaps your keys have ended, or you spoke more securely before ("a2a-sdl peers relax"). Mostly it does not know you, and its operator lets you in with:',
  UNSUPPORTED_CT: 'choose another content type with --ct',
  TIME_INVALID: 'check the clocks of both machines',
};

export function explainExchange(thrown: unknown, target: string): CliError {
  if (thrown instanceof RemoteError && isOfA2a(thrown)) return explainA2a(thrown, target);
  if (thrown instanceof RemoteError) {
    const { code, wireCode, details, message } = thrown;
    const supported = details['supported_ct'];
    const next =
      wireCode === 'UNSUPPORTED_CT' && Array.isArray(supported)
        ? `it takes ${supported.join(', ')}`
        : (NEXT[code] ?? NEXT[wireCode]);
    return failure(`${target} refused: ${message}`, {
      code,
      ...(next !== undefined && { next }),
      cause: thrown,
    });
  }
  if (thrown instanceof TransportError && thrown.fault === 'timeout') {
    return failure(`${target} did not answer in time`, {
      code: thrown.code,
      next: 'start it again, or allow more time with --timeout',
      cause: thrown,
    });
  }
  if (thrown instanceof TransportError && thrown.fault === 'aborted') {
    return failure(`the exchange with ${target} ended before its answer`, {
      code: thrown.code,
      next: 'start it again',
      cause: thrown,
    });
  }
  const tls = thrown instanceof TransportError ? tlsWords(thrown) : undefined;
  if (thrown instanceof TransportError) {
    return failure(`${target} cannot be reached: ${tls?.[0] ?? thrown.message}`, {
      code: thrown.code,
      next:
        tls?.[1] ??
        (target === 'agent' || target.startsWith('ipc:')
          ? 'start it with "a2a-sdl serve"'
          : 'check that it runs and that its endpoint is right ("a2a-sdl peers show")'),
      cause: thrown,
    });
  }
  if (thrown instanceof SdlError && thrown.code === 'MODE_REFUSED') {
    return failure(thrown.reason, {
      code: thrown.code,
      next: 'run "a2a-sdl peers add URL" to fetch its keys, or send with --sign-only',
      cause: thrown,
    });
  }
  return toCliError(thrown);
}

/** What mends the refusals of agents of official A2A. */
const A2A_NEXT: Readonly<Record<string, string>> = {
  UNAUTHENTICATED:
    'it asks who you are: give it what it asks for with "a2a-sdl credentials add ORIGIN"; "a2a-sdl card show" says what that is',
  NOT_AUTHORIZED: 'what you showed is not enough for this: ask its owner',
  TASK_UNKNOWN: 'give the whole id of the task; the agent may have forgotten it',
};

/** They tell the word of A2A for what is wrong. */
function isOfA2a({ details }: RemoteError): boolean {
  return typeof details['a2a'] === 'string';
}

function explainA2a(thrown: RemoteError, target: string): CliError {
  const { code, message } = thrown;
  const next = A2A_NEXT[code];
  return failure(`${target} refused: ${message === '' ? code : message}`, {
    code,
    ...(next !== undefined && { next }),
    cause: thrown,
  });
}

/** Reserved for the home itself. */
const OWN_NAMES: ReadonlySet<string> = new Set(['agent', 'operator']);

/** The error, with the line that makes the agent know us where it may not. */
export function withIntroduction(
  thrown: unknown,
  agentId: string,
  env: Readonly<Record<string, string | undefined>>,
): unknown {
  if (!(thrown instanceof CliError && thrown.cause instanceof RemoteError)) return thrown;
  if (thrown.cause.wireCode !== 'SECURITY_UNSUPPORTED' || isOfA2a(thrown.cause)) return thrown;
  const { exitCode, message, code, next, cause } = thrown;
  const user = (env['USER'] ?? env['LOGNAME'] ?? '').toLowerCase().replaceAll(/[^a-z0-9-]/g, '');
  const name = user === '' || OWN_NAMES.has(user) ? '' : ` --name ${user}`;
  return new CliError(exitCode, message, {
    code,
    ...(next !== undefined && { next }),
    line: `${PROGRAM} peers add ${agentId}${name}`,
    cause,
  });
}
