// Owns the words that tell these records from what `audit` calls evidence.

export const NOT_AUDIT: string =
  'These records say what was seen: a message, a status, an artifact. They are not signed, and say nothing of\n' +
  'whether it was right. Signed evidence of a message or an answer is "a2a-sdl audit prove" and "audit check".';
