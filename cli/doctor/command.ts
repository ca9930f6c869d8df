// Owns the command `doctor`: what is there, what is wrong, what mends it.

import type { Action } from '../kit/command.ts';
import { checkHome } from './home.ts';
import { checkInstallation } from './installation.ts';
import type { Finding } from './finding.ts';
import { EXIT } from '../kit/exit.ts';
import { PASSPHRASE_OPTION } from '../home/passphrase-file.ts';
import type { Terminal } from '../kit/terminal.ts';

const STYLES = { ok: 'green', warn: 'yellow', fail: 'red' } as const;

export const doctorCommand: Action = {
  name: 'doctor',
  summary: 'find out what is wrong with this installation and this home',
  options: { 'passphrase-file': PASSPHRASE_OPTION },
  notes: ['Changes nothing. Exit code 1 when something is wrong; a warning alone is no fault.'],
  examples: ['a2a-sdl doctor', 'a2a-sdl doctor --json'],
  async run(context) {
    const findings = [...(await checkInstallation()), ...(await checkHome(context))];
    const isHealthy = findings.every(({ status }) => status !== 'fail');
    const checks = findings.map(({ check, status, detail, next }) => ({
      check,
      status,
      detail,
      ...(next !== undefined && { next }),
    }));
    context.terminal.result({ ok: isHealthy, checks }, () => show(findings, context.terminal));
    return isHealthy ? EXIT.ok : EXIT.failed;
  },
};

function show(findings: readonly Finding[], terminal: Terminal): void {
  terminal.table(
    findings.map(({ check, status, detail }) => [
      terminal.style(STYLES[status], status),
      check,
      detail,
    ]),
  );
  for (const { check, next } of findings) {
    if (next !== undefined) terminal.note(`${check}: ${next}`);
  }
}
