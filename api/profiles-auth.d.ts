// a2a-sdl/profiles/auth: 29 names. Made by "npm run api" from the emitted declarations; not to be edited.

export interface AttemptLimits {
    readonly maxFailures?: number;
    readonly windowMs?: number;
}

export interface Authenticated {
    readonly principal: Principal;
    readonly ceiling?: Ceiling;
}

export interface CallerEntry {
    readonly name: string;
    readonly proof: CallerProof;
    readonly contentTypes?: readonly string[];
    readonly tools?: readonly string[];
    readonly tenant?: string;
    readonly peer?: string;
    readonly expiresAt?: number;
    readonly revoked?: boolean;
}

export interface CallerProblem {
    readonly caller: string;
    readonly cause: unknown;
}

export type CallerProof = {
    readonly scheme: 'bearer' | 'api-key';
    readonly secret: Secret;
} | {
    readonly scheme: 'basic';
    readonly user: string;
    readonly password: {
        readonly hash: string;
    } | {
        readonly file: string;
    };
} | {
    readonly scheme: 'jwt';
    readonly issuer: string;
    readonly audience: string;
    readonly jwksUrl?: string;
    readonly subject?: string;
}
 | {
    readonly scheme: 'certificate';
    readonly certificate: Secret;
};

export type CallerScheme = {
    readonly scheme: 'bearer' | 'api-key' | 'basic' | 'certificate';
} | {
    readonly scheme: 'jwt';
    readonly issuer: string;
    readonly hasDiscovery: boolean;
};

export interface CallerSchemes {
    readonly schemes: readonly CallerScheme[];
    readonly isOptional: boolean;
}

export interface Callers extends Rights {
    authenticate(shown: Shown): Promise<Authenticated>;
    schemes?(face: string): CallerSchemes;
}

export interface CallersOptions {
    readonly entries: readonly CallerEntry[] | (() => readonly CallerEntry[]);
    readonly anonymous?: readonly string[];
    readonly peer?: (agentId: string) => Standing | undefined;
    readonly attempts?: AttemptLimits;
    readonly keys?: KeySetLimits;
    readonly fetch?: GuardedFetch;
    readonly now?: () => number;
    readonly onProblem?: (problem: CallerProblem) => void;
    readonly loadJose?: LoadJose;
}

export interface Ceiling {
    readonly allow: {
        readonly ct: readonly string[];
        readonly tools: readonly string[];
    };
    readonly notAfterMs: number;
    readonly isGrant?: true;
}

export interface KeySetLimits {
    readonly freshMs?: number;
    readonly refetchMs?: number;
    readonly staleMs?: number;
}

export interface Principal {
    readonly id: string;
    readonly tenant: string;
    readonly scheme: string;
    readonly caller?: string;
    readonly expiresAt?: number;
}

export interface Rights {
    of(principal: Principal): Standing | undefined;
}

export type Secret = {
    readonly sha256: string;
} | {
    readonly file: string;
};

export type ShareClass = 'operator' | 'known' | 'stranger';

export interface Shown {
    readonly face: string;
    readonly address: string;
    readonly authorization?: string;
    readonly apiKey?: string;
    readonly certificate?: string;
    readonly isLocalOwner?: boolean;
}

export interface Standing {
    readonly share: ShareClass;
    readonly isAdmin: boolean;
    allows(wish: Wish): boolean;
}

export type Wish = {
    readonly ct: string;
} | {
    readonly tool: string;
};

export declare function assertCallers(list: readonly CallerEntry[]): void;

export declare function assertSecret(secret: string): void;

export declare function assertTokenSupport(entries: readonly CallerEntry[], load?: LoadJose): Promise<void>;

export declare function certificateHash(pem: string): string;

export declare function createCallers(options: CallersOptions): Callers;

export declare function hashOfUser(lines: string, user: string): string | undefined;

export declare function hashPassword(password: string): Promise<string>;

export declare function hashSecret(secret: string): string;

export declare function readCallers(value: JsonValue, folder: string): readonly CallerEntry[];

export declare function schemesOf(entries: readonly CallerEntry[], nowMs: number): readonly CallerScheme[];

export declare function writeCallers(entries: readonly CallerEntry[]): JsonValue;

// Reached from these.

interface GuardedAnswer {
    readonly status: number;
    readonly headers: Readonly<Partial<Record<'content-type' | 'cache-control' | 'etag' | 'retry-after', string>>> & Readonly<Record<string, string | undefined>>;
    readonly body: Uint8Array;
}

type GuardedFetch = (url: string, request?: GuardedRequest) => Promise<GuardedAnswer>;

interface GuardedRequest {
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: Uint8Array;
    readonly typedUrl?: string;
    readonly wantsBody?: (status: number) => boolean;
    readonly tellsHeaders?: readonly string[];
    readonly timeoutMs?: number;
    readonly signal?: AbortSignal;
}

type JsonArray = readonly JsonValue[];

interface JsonObject {
    readonly [member: string]: JsonValue;
}

type JsonValue = null | boolean | number | string | LosslessNumber | JsonArray | JsonObject;

type LoadJose = () => Promise<unknown>;

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
