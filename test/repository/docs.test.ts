// The documents do what they say: every command in them is run, every block of code is a file that is run.

import { readFileSync, readdirSync } from 'node:fs';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { COMMANDS } from '../../cli/commands.ts';
import type { ForeignServer } from '../support/a2a/js-servers.ts';
import { startJsV1 } from '../support/a2a/js-servers.ts';
import type { Block } from '../support/docs/blocks.ts';
import { blocksOf, commandsOf, settingOf } from '../support/docs/blocks.ts';
import { DocsSession, buildProgram } from '../support/docs/session.ts';
import { pythonWith } from '../support/a2a/pythons.ts';
import { hasRedis, sharedRedis } from '../support/stores/redis.ts';
import { server as postgres, urlAt } from '../support/stores/postgres.ts';

const read = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const examples = readdirSync(new URL('../../examples', import.meta.url))
  .filter((name) => name.endsWith('.ts'))
  .map((name) => read(`examples/${name}`));

const DOCUMENTS = [
  'README.md',
  'docs/operate.md',
  'docs/cli.md',
  'docs/embed.md',
  'docs/sealed.md',
];
const a2aPython = pythonWith('a2a-sdk 1.3.0');
const NEEDS: Readonly<Record<string, boolean>> = {
  servers: postgres !== undefined && hasRedis,
  'a2a-sdk': a2aPython !== undefined,
};

/** What a reader of a clone types is what is installed elsewhere. */
const CLONE: Readonly<Record<string, string>> = {
  'npm ci && npm start': 'a2a-sdl serve',
  'node dist/cli/main.js': 'a2a-sdl',
};

beforeAll(buildProgram, 120_000);

describe.each(DOCUMENTS)('%s', (path) => {
  const markdown = read(path);
  const blocks = blocksOf(markdown);
  let session: DocsSession;
  /** An agent of official A2A that somebody has already. */
  let upstream: ForeignServer | undefined;

  beforeAll(async () => {
    const names: Record<string, string> = { ...CLONE };
    if (NEEDS['servers'] === true && markdown.includes('postgres://')) {
      names['postgres://agent@db/agent'] = `"${urlAt('docs')}"`;
      names['redis://cache'] = (await sharedRedis()).url;
    }
    if (markdown.includes('127.0.0.1:9999')) {
      upstream = await startJsV1();
      names['http://127.0.0.1:9999'] = upstream.origin;
    }
    if (a2aPython !== undefined) names['python3 client.py'] = `${a2aPython} client.py`;
    session = await DocsSession.open(names);
  });
  afterAll(async () => {
    await session.close();
    await upstream?.stop();
  });

  test(
    'has only commands that end as it says, and shows what they print',
    { timeout: 600_000 },
    async () => {
      const failed: string[] = [];
      /** `undefined` after what was not run. */
      let output: string | undefined = '';
      for (const block of blocks) {
        const needs = settingOf(block, 'needs');
        if (needs !== undefined && NEEDS[needs] !== true) {
          console.warn(`${path}:${block.line} is not run: there is no ${needs}`);
          output = undefined;
          continue;
        }
        if (block.language === 'sh') output = await runBlock(block, failed);
        else if (block.language === 'text') failed.push(...missing(block, output ?? block.text));
        else if (block.words[0] !== undefined) session.write(block.words[0], block.text);
      }
      expect(failed).toEqual([]);
    },
  );

  /** Runs the commands, and tells what they printed. */
  async function runBlock(block: Block, failed: string[]): Promise<string> {
    const home = settingOf(block, 'home');
    let all = '';
    for (const { words, exit } of commandsOf(block)) {
      if (words.startsWith('npm ') && CLONE[words] === undefined) continue;
      const { code, output } = await session.run(words, home, await placeholders(words, home));
      if (code !== exit) failed.push(`${path}:${block.line} ${words} ends with ${code}: ${output}`);
      all += output;
    }
    return all;
  }

  /** What a reader copies from what was printed before. */
  async function placeholders(words: string, home?: string): Promise<Record<string, string>> {
    /** The first line that the command prints as JSON. */
    const ask = async (command: string, from = home): Promise<Record<string, unknown>> => {
      const { output } = await session.run(`${command} --json`, from);
      return JSON.parse(output.split('\n')[0]!) as Record<string, unknown>;
    };
    const found: Record<string, string> = {};
    if (words.includes('TASK')) found['TASK'] = await idOf(ask('a2a-sdl tasks list --limit 1'));
    if (words.includes('MESSAGE')) {
      found['MESSAGE'] = await idOf(ask('a2a-sdl audit receipts --limit 1'));
    }
    if (words.includes('did:key:z6Mk…')) {
      const whose = home === 'bob' ? 'operator' : 'agent';
      const from = home === 'bob' ? 'home' : 'bob';
      const { agent_id: agentId } = await ask(`a2a-sdl keys show ${whose}`, from);
      found['did:key:z6Mk…'] = String(agentId);
    }
    return found;
  }

  test('has no code of ours that is not in an example that runs', () => {
    const shown = blocks.filter(({ language }) => language === 'ts').map(({ text }) => text);
    const isShown = (code: string): boolean =>
      examples.some((example) => withoutIndent(example).includes(withoutIndent(code)));
    expect(shown.filter((code) => !isShown(code))).toEqual([]);
  });

  test('has no block that nothing looks at', () => {
    const looked = ({ language, words }: Block): boolean =>
      ['sh', 'ts', 'text'].includes(language) || words[0]?.includes('.') === true;
    expect(blocks.filter((block) => !looked(block)).map(({ line }) => line)).toEqual([]);
  });

  test('points at files that are there', () => {
    const folder = path.includes('/') ? 'docs/' : '';
    const links = [...markdown.matchAll(/\]\(([\w./-]+)(?:#[\w-]+)?\)/g)].map(([, link]) => link!);
    for (const link of links) expect(read(folder + link)).not.toBe('');
  });
});

const withoutIndent = (code: string): string => code.replace(/^ +/gm, '');

/** Of a task or a receipt. */
async function idOf(line: Promise<Record<string, unknown>>): Promise<string> {
  const { id, message_id: messageId, task } = await line;
  return String(id ?? messageId ?? (task as Record<string, unknown> | undefined)?.['id']);
}

/** The lines of the block that were not printed; `…` stands for anything. */
function missing({ text, line }: Block, output: string): string[] {
  return text
    .split('\n')
    .filter((expected) => expected.trim() !== '')
    .filter((expected) => {
      const parts = expected
        .trim()
        .split('…')
        .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
      return !new RegExp(parts.join('.*')).test(output);
    })
    .map((expected) => `line ${line} was not printed: ${expected}\nbut: ${output}`);
}

describe('README.md', () => {
  const readme = read('README.md');

  test('has at most 120 lines, and the two commands', () => {
    expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(120);
    expect(readme).toContain('npm ci && npm start');
    expect(readme).toContain('npm ci && npm test');
  });
});

test('docs/cli.md names every command of the command line', () => {
  const page = read('docs/cli.md');
  expect(Object.keys(COMMANDS).filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

/** Nothing of the suite above would notice a document that is not on its list. */
test('every page of docs is run', () => {
  const pages = readdirSync(new URL('../../docs', import.meta.url)).map((name) => `docs/${name}`);
  expect(pages.filter((page) => !DOCUMENTS.includes(page))).toEqual([]);
});
