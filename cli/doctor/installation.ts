// Owns the checks of `doctor` that look at the machine: Node, cryptography, the optional packages.

import { PACKAGE_VERSION } from '../../src/version.ts';
import { chooseProvider } from '../../src/security/index.ts';
import { loadDriver as loadPg } from '../../stores/postgres/driver.ts';
import { loadDriver as loadRedis } from '../../stores/redis/driver.ts';
import { loadDriver as loadSqlite } from '../../stores/sqlite/driver.ts';
import type { Finding } from './finding.ts';
import { examine } from './finding.ts';

const LEAST_NODE = [20, 19] as const;

const WHY = {
  sodium: 'sodium-native is installed, the fastest',
  native: 'node:crypto, since sodium-native is not installed or does not run here',
  noble: 'JavaScript alone, since nothing faster runs here',
} as const;

export async function checkInstallation(
  nodeVersion: string = process.versions.node,
): Promise<Finding[]> {
  return [
    { check: 'a2a-sdl', status: 'ok', detail: PACKAGE_VERSION },
    checkNode(nodeVersion),
    await examine('crypto', async () => {
      const { name } = chooseProvider();
      return { status: 'ok', detail: `${name}: ${WHY[name]}` };
    }),
    checkSodium(),
    await checkSqlite(),
    await checkOptional('pg', loadPg, '--store postgres://…'),
    await checkOptional('@redis/client', loadRedis, '--replay redis://…'),
  ];
}

export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [leastMajor, leastMinor] = LEAST_NODE;
  const isEnough = major > leastMajor || (major === leastMajor && minor >= leastMinor);
  if (isEnough) return { check: 'node', status: 'ok', detail: version };
  const wanted = LEAST_NODE.join('.');
  return {
    check: 'node',
    status: 'fail',
    detail: `${version} is older than ${wanted}`,
    next: `install Node ${wanted} or later`,
  };
}

/** Optional: without it everything works, only slower. */
function checkSodium(): Finding {
  try {
    chooseProvider('sodium');
    return { check: 'sodium-native', status: 'ok', detail: 'runs' };
  } catch {
    return {
      check: 'sodium-native',
      status: 'warn',
      detail: 'not installed, or no binary for this platform; signatures take longer',
      next: 'npm install sodium-native',
    };
  }
}

/** The daemon cannot keep anything without it. */
async function checkSqlite(): Promise<Finding> {
  return examine('sqlite', async () => {
    const { name } = await loadSqlite();
    return { status: 'ok', detail: `${name} runs` };
  });
}

/** Missing it is no fault: who wants it is told by the command that needs it. */
export async function checkOptional(
  name: string,
  load: () => Promise<unknown>,
  option: string,
): Promise<Finding> {
  const isThere = await load().then(
    () => true,
    () => false,
  );
  const detail = isThere ? 'installed' : `not installed, which only ${option} needs`;
  return { check: name, status: 'ok', detail };
}
