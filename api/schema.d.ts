// a2a-sdl/schema: 18 names. Made by "npm run api" from the emitted declarations; not to be edited.

export type ContentHash = `sha256:${string}`;

export interface EmbeddedDescriptor {
    readonly kind: 'embedded';
    readonly id: ContentHash;
    readonly embedded: Schema;
}

export interface PayloadCheck {
    readonly ct: string;
    readonly payload: JsonValue;
    readonly descriptor: SchemaDescriptor;
}

export type Schema = JsonObject | boolean;

export type SchemaDescriptor = EmbeddedDescriptor | UriDescriptor;

export interface SchemaFailure {
    readonly keyword: string;
    readonly schemaPath: string;
    readonly instancePath: string;
    readonly path: string;
}

export type SchemaFetch = (uri: string, signal?: AbortSignal) => Promise<Uint8Array>;

export declare class SchemaRegistry {
    #private;
    constructor();
    get contentTypes(): ReadonlySet<string>;
    register(ct: string, schema: Schema): EmbeddedDescriptor;
    readonly descriptorFor: (ct: string) => EmbeddedDescriptor;
    checkOwn(check: PayloadCheck): void;
    checkSenders(check: PayloadCheck): void;
}

export type SchemaResolver = (descriptor: SchemaDescriptor, signal?: AbortSignal) => Promise<EmbeddedDescriptor>;

export interface TrustedSchema {
    readonly schema: Schema;
    readonly validate: (value: JsonValue) => SchemaFailure | undefined;
}

export interface UriDescriptor {
    readonly kind: 'uri';
    readonly id: ContentHash;
    readonly uri: string;
}

export declare function checkDescriptor(value: JsonValue | undefined): SchemaDescriptor;

export declare function compileTrusted(given: Schema): TrustedSchema;

export declare function contentHash(value: JsonValue): ContentHash;

export declare function createSchemaResolver(fetchSchema: SchemaFetch, limits?: Limits): SchemaResolver;

export declare function embed(schema: Schema): EmbeddedDescriptor;

export declare function isContentHash(text: string): text is ContentHash;

export declare function verifyEmbedded(descriptor: EmbeddedDescriptor): void;

// Reached from these.

type JsonArray = readonly JsonValue[];

interface JsonObject {
    readonly [member: string]: JsonValue;
}

type JsonValue = null | boolean | number | string | LosslessNumber | JsonArray | JsonObject;

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
