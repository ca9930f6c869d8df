// The conformance agent: an agent of official A2A that the public conformance suites can be run against. README.md here
// says how.

import { startAgent } from './agent.ts';
import { USAGE, UsageError, readOptions } from './options.ts';

const USAGE_EXIT = 2;
const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

try {
  const options = readOptions(process.argv.slice(2));
  if (options === undefined) process.stdout.write(USAGE);
  else await serve(options);
} catch (cause) {
  const isUsage = cause instanceof UsageError;
  const words = cause instanceof Error ? cause.message : String(cause);
  process.stderr.write(isUsage ? `${words}\n\n${USAGE}` : `conformance-agent: ${words}\n`);
  process.exitCode = isUsage ? USAGE_EXIT : 1;
}

async function serve(options: Parameters<typeof startAgent>[0]): Promise<void> {
  const agent = await startAgent(options);
  const stop = (): void => {
    // A second signal ends it at once.
    for (const signal of SIGNALS) process.off(signal, stop);
    void agent.close();
  };
  for (const signal of SIGNALS) process.on(signal, stop);
  process.stdout.write(`${JSON.stringify(agent.ready)}\n`);
}
