// A process that rotates an identity and stops for good between the write of the new file and its rename.

import { KeyDirectory } from '../../../keys/directory.ts';
import { FILE_STEPS } from '../../../keys/private-files.ts';
import { chooseProvider } from '../../../src/crypto/provider.ts';

const directory = new KeyDirectory(process.argv[2]!, {
  crypto: chooseProvider('noble'),
  steps: {
    ...FILE_STEPS,
    rename: () => {
      process.stdout.write('written\n');
      setInterval(() => undefined, 1_000_000);
      return new Promise<never>(() => undefined);
    },
  },
});
await directory.rotate('agent');
