// Owns the checks of `doctor` that look at a home: who can look in, the clock, identities, peers, and what runs on it.

import { stat } from 'node:fs/promises';

import type { StoredIdentity } from '../../keys/index.ts';
import { formatTimestamp } from '../../src/envelope/index.ts';
import type { CommandContext } from '../kit/command.ts';
import { checkDaemon } from './daemon.ts';
import type { Finding } from './finding.ts';
import { checkKeeping } from './keeping.ts';
import { examine } from './finding.ts';
import { failure } from '../kit/exit.ts';
import type { Home, Role } from '../home/home.ts';
import { ROLES } from '../home/home.ts';
import { loadIdentity, openBook, openDirectory } from '../home/identities.ts';
import { SOON_MS, describeMoment } from '../kit/moments.ts';
import { readPassphrase } from '../home/passphrase-file.ts';
import { assertPrivateFolder } from '../home/private-folder.ts';

/** Before this nobody can have run this program. */
const EARLIEST_MS: number = Date.UTC(2026, 0, 1);

export async function checkHome(context: CommandContext): Promise<Finding[]> {
  const { home, now } = context;
  const isThere = (await stat(home.root).catch(() => undefined)) !== undefined;
  if (!isThere) {
    return [
      {
        check: 'home',
        status: 'fail',
        detail: `there is no ${home.root}`,
        next: 'a2a-sdl init',
      },
      checkClock([], now()),
    ];
  }
  const identities = await checkIdentities(context);
  return [
    await examine('home', () => checkFolders(home)),
    checkClock(identities.loaded, now()),
    ...identities.findings,
    ...(await Promise.all(ROLES.map((role) => checkBook(home, role, now())))),
    await checkDaemon(home),
    ...(await checkKeeping(home, now())),
  ];
}

async function checkFolders(home: Home): Promise<Omit<Finding, 'check'>> {
  for (const folder of [home.root, home.keys, home.data, home.run]) {
    const isThere = (await stat(folder).catch(() => undefined)) !== undefined;
    if (isThere) await assertPrivateFolder(folder);
  }
  return { status: 'ok', detail: `${home.root}, for its owner alone` };
}

/** Keys are never made in the future: when they seem to be, the clock went back. */
function checkClock(identities: readonly StoredIdentity[], nowMs: number): Finding {
  const newestMs = Math.max(EARLIEST_MS, ...identities.map(({ bundle }) => bundle.notBeforeMs));
  if (nowMs >= newestMs) return { check: 'clock', status: 'ok', detail: formatTimestamp(nowMs) };
  return {
    check: 'clock',
    status: 'fail',
    detail: `${formatTimestamp(nowMs)} is before ${formatTimestamp(newestMs)}, which has been`,
    next: 'set the clock of this machine; messages carry the time and are refused when it is wrong',
  };
}

async function checkIdentities(
  context: CommandContext,
): Promise<{ readonly findings: Finding[]; readonly loaded: StoredIdentity[] }> {
  const loaded: StoredIdentity[] = [];
  const findings: Finding[] = [];
  for (const role of ROLES) {
    const finding = await examine(`identity ${role}`, async () => {
      const directory = openDirectory(context);
      if (!(await directory.list()).includes(role)) {
        throw failure('missing', { next: 'a2a-sdl init' });
      }
      const identity = await loadIdentity(directory, role, await readPassphrase(context));
      loaded.push(identity);
      return judgeIdentity(identity, context.now());
    });
    findings.push(finding);
  }
  return { findings, loaded };
}

function judgeIdentity(identity: StoredIdentity, nowMs: number): Omit<Finding, 'check'> {
  const { bundle, name } = identity;
  // The newest key of each use is the one that is used; replaced ones may end at any time.
  const ends = (['sig', 'enc'] as const).map(
    (use) => bundle.keys.find((key) => key.use === use)?.notAfterMs ?? -Infinity,
  );
  const endMs = Math.min(bundle.notAfterMs, ...ends);
  const detail = `keys end ${describeMoment(endMs, nowMs)}`;
  const next = `a2a-sdl keys rotate ${name}`;
  if (endMs < nowMs) return { status: 'fail', detail, next };
  return endMs < nowMs + SOON_MS ? { status: 'warn', detail, next } : { status: 'ok', detail };
}

function checkBook(home: Home, role: Role, nowMs: number): Promise<Finding> {
  return examine(`peers of ${role}`, async () => {
    const entries = (await openBook(home, role)).list();
    const ended = entries.filter(
      ({ revoked, encryptionKeys }) =>
        !revoked &&
        encryptionKeys.length > 0 &&
        encryptionKeys.every(({ notAfter = Infinity }) => notAfter < nowMs),
    );
    const detail = entries.length === 1 ? '1 peer' : `${entries.length} peers`;
    if (ended.length === 0) return { status: 'ok', detail };
    const [first] = ended;
    return {
      status: 'warn',
      detail: `${detail}, of which ${ended.length} with no key left to encrypt to`,
      next: `get new keys, such as of ${first!.name ?? first!.agentId}: a2a-sdl peers add URL`,
    };
  });
}
