// Owns who is told of what happens: a listener of the embedder must not be able to break what it listens to.

export function contained<Facts extends readonly unknown[]>(
  listener: (...facts: Facts) => void,
  onFailure: (cause: unknown) => void,
): (...facts: Facts) => void {
  return (...facts) => {
    try {
      listener(...facts);
    } catch (cause) {
      onFailure(cause);
    }
  };
}
