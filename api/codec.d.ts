// a2a-sdl/codec: 20 names. Made by "npm run api" from the emitted declarations; not to be edited.

export type Form = 'wire' | 'jcs' | 'python' | 'cbor';

export interface FormDifference {
    readonly pointer: string;
    readonly left: Uint8Array | undefined;
    readonly right: Uint8Array | undefined;
    readonly reason: string;
}

export declare class FrameReader {
    #private;
    constructor(maxBytes: number);
    get isInsideFrame(): boolean;
    get missingBytes(): number;
    read(chunk: Uint8Array): Generator<Uint8Array, void>;
}

export type JsonArray = readonly JsonValue[];

export interface JsonObject {
    readonly [member: string]: JsonValue;
}

export type JsonValue = null | boolean | number | string | LosslessNumber | JsonArray | JsonObject;

export declare class LosslessNumber {
    readonly lexeme: string;
    constructor(lexeme: string);
    get isInteger(): boolean;
    toNumber(): number;
    toBigInt(): bigint;
    [Symbol.toPrimitive](hint: string): number | string;
    toJSON(): number;
    toString(): string;
}

export declare function compareCodePoints(a: string, b: string): number;

export declare function equalNumbers(a: JsonNumber, b: JsonNumber): boolean;

export declare function explainForms(value: JsonValue, left: Form, right: Form): FormDifference[];

export declare function isJsonArray(value: JsonValue | undefined): value is JsonArray;

export declare function isJsonObject(value: JsonValue | undefined): value is JsonObject;

export declare function numberFromBigInt(value: bigint): number | LosslessNumber;

export declare function readCbor(bytes: Uint8Array, limits?: Partial<Limits>): JsonValue;

export declare function readJson(bytes: Uint8Array, limits?: Partial<Limits>): JsonValue;

export declare function writeCbor(value: JsonValue): Uint8Array;

export declare function writeFrame(body: Uint8Array): Uint8Array;

export declare function writeJcs(value: JsonValue): Uint8Array;

export declare function writeJson(value: JsonValue): Uint8Array;

export declare function writePythonJson(value: JsonValue): Uint8Array;

// Reached from these.

type JsonNumber = number | LosslessNumber;

interface Limits {
    readonly maxBytes: number;
    readonly maxDepth: number;
    readonly maxArrayLength: number;
    readonly maxMembers: number;
    readonly maxValues: number;
    readonly maxStringBytes: number;
    readonly maxNumberLength: number;
    readonly maxHops: number;
}
