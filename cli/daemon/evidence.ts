// Owns the evidence of the daemon: the sink of its settings, loaded only where there is one, and what the user is told of
// a folder that cannot be written to.

import { access, constants, mkdir } from 'node:fs/promises';

import type { EvidenceSink } from '../../profiles/assay/index.ts';
import { usageError } from '../kit/exit.ts';
import type { EvidenceConfig } from '../serve/config.ts';

export async function openEvidence(config: EvidenceConfig): Promise<EvidenceSink> {
  const { directory, rawDirectory } = config;
  await assertFolder('--evidence', directory);
  if (rawDirectory !== undefined) await assertFolder('--evidence-raw', rawDirectory);
  const { evidence } = await import('../../profiles/assay/index.ts');
  return evidence(config);
}

async function assertFolder(option: string, folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await access(folder, constants.W_OK | constants.X_OK);
  } catch (cause) {
    const { code = 'unknown' } = cause as NodeJS.ErrnoException;
    throw usageError(`${option}: nothing can be written to ${folder} (${code})`);
  }
}
