// Tells what memory this process uses. Needs `--expose-gc`.

/** Heap and external memory after garbage collection. */
export async function usedBytes(): Promise<number> {
  // What is over is let go of in later turns of the event loop.
  for (let turn = 0; turn < 3; turn += 1) {
    await new Promise((resolve) => setTimeout(resolve, 0));
    globalThis.gc!();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
