// a2a-sdl/state: 8 names. Made by "npm run api" from the emitted declarations; not to be edited.

export declare const EMPTY_STATE_HASH: ContentHash;

export declare const INITIAL_STATE: StateDocument;

export interface StateDocument {
    readonly value: JsonValue;
    readonly hash: ContentHash;
}

export interface StatePayload {
    readonly base: string;
    readonly patch: JsonValue;
}

export declare function applyPatch(document: JsonValue, patch: JsonValue): JsonValue;

export declare function applyState(current: StateDocument, payload: StatePayload | JsonValue): StateDocument;

export declare function makePatch(before: JsonValue, after: JsonValue): JsonArray;

export declare function makeState(current: StateDocument, next: JsonValue): {
    readonly base: ContentHash;
    readonly patch: JsonArray;
};

// Reached from these.

type ContentHash = `sha256:${string}`;

type JsonArray = readonly JsonValue[];

interface JsonObject {
    readonly [member: string]: JsonValue;
}

type JsonValue = null | boolean | number | string | LosslessNumber | JsonArray | JsonObject;

declare class LosslessNumber {
    readonly lexeme: string;
    constructor(lexeme: string);
    get isInteger(): boolean;
    toNumber(): number;
    toBigInt(): bigint;
    [Symbol.toPrimitive](hint: string): number | string;
    toJSON(): number;
    toString(): string;
}
