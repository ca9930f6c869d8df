// Owns certificates for tests of TLS on the loopback interface. They are made anew for each run.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Certificate {
  readonly key: string;
  /** Vouches for itself, so that it also serves as the authority. */
  readonly cert: string;
}

/** For 127.0.0.1 and this name, or `undefined` where openssl is missing. */
export function makeCertificate(name: string): Certificate | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'certificate-'));
  try {
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const options =
      `-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=${name} ` +
      `-addext subjectAltName=DNS:${name},IP:127.0.0.1 -keyout ${key} -out ${cert}`;
    const command = ['req', '-x509', ...options.split(' ')];
    if (spawnSync('openssl', command, { stdio: 'ignore' }).status !== 0) return undefined;
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
