// Owns the way to Node's own modules: asked for at run time, so that bundles for browsers and workers import none.

export type NodeCrypto = ReturnType<typeof process.getBuiltinModule<'node:crypto'>>;
/** A key that Node's crypto has imported. */
export type NodeKey = ReturnType<NodeCrypto['createSecretKey']>;

export const nodeCrypto: NodeCrypto | undefined =
  globalThis.process?.getBuiltinModule?.('node:crypto');

/** Threads that can run at once; 1 where nobody says. */
export function availableThreads(): number {
  return globalThis.process?.getBuiltinModule?.('node:os')?.availableParallelism?.() ?? 1;
}

/** Loads a package that may be absent; throws then. Bundlers do not see it. */
export function requireOptional(name: string): unknown {
  const module = globalThis.process?.getBuiltinModule?.('node:module');
  if (module === undefined) throw new Error('packages cannot be loaded here');
  return module.createRequire(import.meta.url)(name);
}
