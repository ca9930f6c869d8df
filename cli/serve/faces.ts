// Owns the settings of further dialects of the daemon, and who is let in there without showing anything.

import type { SteerqaOptions } from '../../profiles/steerqa/index.ts';
import type { JsonObject } from '../../src/codec/index.ts';
import { isJsonObject } from '../../src/codec/index.ts';
import { usageError } from '../kit/exit.ts';
import type { OptionValues } from '../kit/option-values.ts';
import { isLoopbackHost } from './host-port.ts';

/** Faces that can let in who proves nothing. */
const ANONYMOUS_FACES: readonly string[] = ['a2a', 'swp', 'steerqa'];
/** Paths of the daemon itself. */
const OWN_PATHS = /^\/(a2a|healthz|readyz|metrics|\.well-known\/.*)?$/;
const PATH = /^\/[\w.~!$&'()*+,;=:@%/-]*$/;
const AGENT = /^[^@\s]+@\S+$/;
/** A final is given again for at least so long. */
const MIN_KEPT_S = 900;

/**
 * Who proves nothing is let in from this machine only.
 * @param hosts where each face listens, as far as it does.
 */
export function anonymousOf(
  options: OptionValues,
  file: JsonObject,
  hosts: Readonly<Record<string, readonly (string | undefined)[]>>,
): readonly string[] {
  const faces = [
    ...options.texts('anonymous'),
    ...((file['anonymous'] ?? []) as readonly string[]),
  ];
  for (const face of faces) {
    if (!ANONYMOUS_FACES.includes(face)) {
      throw usageError(
        '--anonymous expects the name of a face',
        `the faces that it can be said of are ${ANONYMOUS_FACES.join(', ')}`,
      );
    }
    const reached = hosts[face]?.find((host) => host !== undefined && !isLoopbackHost(host));
    if (reached === undefined) continue;
    throw usageError(
      `--anonymous ${face} needs a face that only this machine can reach`,
      'listen at 127.0.0.1, or add callers: a2a-sdl callers add',
    );
  }
  return faces;
}

/** `undefined` where SteerQA is not spoken. */
export function steerqaOf(options: OptionValues, file: JsonObject): SteerqaOptions | undefined {
  const inFile = isJsonObject(file['steerqa']) ? file['steerqa'] : undefined;
  const given = options.text('steerqa');
  const pins = options.texts('steerqa-agent');
  if (given === undefined && inFile === undefined) {
    if (pins.length === 0) return undefined;
    throw usageError('--steerqa-agent needs --steerqa', 'give --steerqa /task_offer too');
  }
  const { path, agents = [], skew_s, heartbeat_s, max_bytes } = inFile ?? {};
  const at = given ?? (path as string | undefined) ?? '/task_offer';
  if (!PATH.test(at) || OWN_PATHS.test(at)) {
    throw usageError('--steerqa expects a path of its own', 'write --steerqa /task_offer');
  }
  const builds = pins.length > 0 ? pins : (agents as readonly string[]);
  if (!builds.every((build) => AGENT.test(build))) {
    throw usageError('--steerqa-agent expects NAME@VERSION', 'such as clarity@0.1.0');
  }
  const { retention_s: retention } = isJsonObject(file['tasks']) ? file['tasks'] : {};
  if (retention !== undefined && Number(retention) < MIN_KEPT_S) {
    throw usageError(
      `with --steerqa "retention_s" of "tasks" has to be at least ${MIN_KEPT_S}`,
      'a result is given again for a quarter of an hour',
    );
  }
  return {
    path: at,
    agents: builds,
    ...(skew_s !== undefined && { skewMs: Math.round(Number(skew_s) * 1_000) }),
    ...(heartbeat_s !== undefined && { heartbeatMs: Math.round(Number(heartbeat_s) * 1_000) }),
    ...(max_bytes !== undefined && { maxBytes: Number(max_bytes) }),
  };
}
