// Owns the command `steerqa offer`: sends an offer to an agent and prints what comes back, one message a line.

import type { NewOffer } from '../../profiles/steerqa/index.ts';
import { SteerqaFailure, connectSteerqa } from '../../profiles/steerqa/index.ts';
import type { JsonObject } from '../../src/codec/index.ts';
import { isJsonObject } from '../../src/codec/index.ts';
import type { Action, CommandContext } from '../kit/command.ts';
import { EXIT, failure, usageError } from '../kit/exit.ts';
import { readFileBytes, readJsonInput } from '../kit/input.ts';

const FORMS = ['json', 'ndjson', 'sse'] as const;

export const steerqaOfferCommand: Action = {
  name: 'offer',
  summary: 'send an offer to an agent and print its results',
  parameters: [
    { name: 'URL', description: 'where the agent takes offers' },
    { name: 'FILE', description: 'the offer; - reads it from stdin' },
  ],
  options: {
    accept: {
      type: 'string',
      value: 'FORM',
      description: 'how the agent is to answer: json (the final alone), ndjson (default) or sse',
    },
    bearer: {
      type: 'string',
      value: '@FILE',
      description: 'the file with the token of the caller',
    },
    'api-key': {
      type: 'string',
      value: '@FILE',
      description: 'the file with the key of the caller',
    },
  },
  notes: [
    'It prints one message a line: partials, then the final. What the offer leaves out is made: issued_at, ids, the key.\n' +
      'Failures that may pass are tried again with the same key while the ttl lasts.',
  ],
  examples: [
    'a2a-sdl steerqa offer http://127.0.0.1:8787/task_offer offer.json',
    'a2a-sdl steerqa offer http://127.0.0.1:8787/task_offer offer.json --accept json --bearer @token.txt',
  ],
  async run(context) {
    const { words, options, terminal, now, wait } = context;
    const interrupted = context.interrupted();
    const [url, path] = words as [string, string];
    if (!URL.canParse(url) || !/^https?:/.test(url)) {
      throw usageError('URL expects an address such as http://127.0.0.1:8787/task_offer');
    }
    const offer = await readJsonInput(path, terminal);
    if (!isJsonObject(offer)) throw failure(`${path} holds no offer`, { next: 'write one object' });
    const root = connectSteerqa(url, {
      accept: options.oneOf('accept', FORMS) ?? 'ndjson',
      headers: await headersOf(context),
      now,
      wait: (ms) => wait(ms, interrupted),
    });
    try {
      for await (const result of root.offer(offer as unknown as NewOffer))
        terminal.json(result as JsonObject);
      return EXIT.ok;
    } catch (thrown) {
      if (!(thrown instanceof SteerqaFailure)) throw thrown;
      const { code, message } = thrown;
      throw failure(message.slice(code.length + 2), { code, cause: thrown });
    }
  },
};

async function headersOf({ options }: CommandContext): Promise<Record<string, string>> {
  const [bearer, key] = [
    await secretIn(options.text('bearer')),
    await secretIn(options.text('api-key')),
  ];
  return {
    ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
    ...(key !== undefined && { 'x-api-key': key }),
  };
}

async function secretIn(value: string | undefined): Promise<string | undefined> {
  if (value === undefined) return undefined;
  if (!value.startsWith('@')) throw usageError('a secret is given as @FILE');
  return new TextDecoder().decode(await readFileBytes(value.slice(1))).trim();
}
