// Owns who is told of what happens: a listener of the embedder must not be able to break what it listens to.

export function contained<T>(
  listener: (event: T) => void,
  onFailure: (cause: unknown) => void,
): (event: T) => void {
  return (event) => {
    try {
      listener(event);
    } catch (cause) {
      onFailure(cause);
    }
  };
}
