// The public surface of the key room, `a2a-sdl/keys`: identities, key files and the peer book of one machine.

export type { BookFormat, BookPage } from './book-file.ts';
export { BookFile } from './book-file.ts';
export type {
  CreateOptions,
  KeyDirectoryOptions,
  RotateKeysOptions,
  StoredIdentity,
  UnlockOptions,
} from './directory.ts';
export { KeyDirectory } from './directory.ts';
export type { ImportOptions, KeyFormat } from './format.ts';
export { exportPublicKey, exportSecretKey, importPublicKey, importSecretKey } from './format.ts';
export type { PeerBookOptions, PeerChanges } from './peer-book.ts';
export { PeerBook } from './peer-book.ts';
export type { PeerDraft, PeerEntry } from './peer-document.ts';
export type { ImportPeerKeyOptions } from './peer-key.ts';
export { exportPeerKey, importPeerKey } from './peer-key.ts';
