// a2a-sdl/profiles/assay: 18 names. Made by "npm run api" from the emitted declarations; not to be edited.

export interface Batch {
    readonly events: readonly JsonObject[];
    readonly lossiness: Lossiness;
}

export declare class ConvertError extends Error {
    readonly name = "ConvertError";
    readonly kind: ConvertErrorKind;
    constructor(kind: ConvertErrorKind, message: string, cause?: unknown);
}

export type ConvertErrorKind = 'config' | 'measurement' | 'infrastructure' | 'unsupported_protocol_version' | 'strict_lossiness_violation';

export type ConvertMode = 'strict' | 'lenient';

export interface ConvertOptions {
    readonly mode?: ConvertMode;
    readonly maxPayloadBytes?: number;
    readonly maxJsonDepth?: number;
    readonly maxArrayLength?: number;
    readonly mediaType?: string;
    readonly protocolVersion?: string;
    readonly adapterVersion?: string;
    readonly writeRaw?: (bytes: Uint8Array, reference: RawReference) => void;
}

export interface Converted {
    readonly batch: Batch;
    readonly digests: {
        readonly data: string;
        readonly discovery: string;
        readonly handoff: string;
    };
    readonly contentHash: string;
    readonly text: string;
}

export interface EvidenceOptions {
    readonly directory: string;
    readonly rawDirectory?: string;
    readonly required?: boolean;
    readonly maxQueued?: number;
    readonly runId?: string;
}

export interface EvidenceSink extends Witness {
    readonly runId: string;
    readonly path: string;
}

export interface Lossiness {
    readonly lossiness_level: LossinessLevel;
    readonly unmapped_fields_count: number;
    readonly raw_payload_ref: RawReference;
    readonly notes: readonly string[];
}

export type LossinessLevel = 'none' | 'low' | 'high';

export interface RawReference {
    readonly sha256: string;
    readonly size_bytes: number;
    readonly media_type: string;
}

export interface RunLimits {
    readonly maxBytes?: number;
    readonly maxEvents?: number;
}

export type RunReport = {
    readonly ok: true;
    readonly events: number;
    readonly run_id: string;
    readonly run_root: string;
} | {
    readonly ok: false;
    readonly events: number;
    readonly run_id: string | null;
    readonly run_root: null;
    readonly rule: RunRule;
    readonly line: number;
    readonly reason: string;
};

export type RunRule = 'empty' | 'size' | 'line' | 'event' | 'run_id' | 'source' | 'seq' | 'id' | 'content_hash';

export declare function checkRun(chunks: AsyncIterable<Uint8Array>, limits?: RunLimits): Promise<RunReport>;

export declare function convert(bytes: Uint8Array, options?: ConvertOptions): Converted;

export declare function evidence(options: EvidenceOptions): EvidenceSink;

export declare function refusalText({ kind, message }: ConvertError): string;

// Reached from these.

interface AcceptedMessage {
    readonly call: CallContext;
    readonly operation: 'start' | 'message';
    readonly message: Message;
    readonly taskId?: string;
    readonly kind?: string;
}

interface Artifact extends ArtifactContent {
    readonly text: string;
    readonly data: JsonValue | undefined;
    readonly isComplete: boolean;
}

interface ArtifactChange {
    readonly type: 'artifact';
    readonly artifact: ArtifactContent;
    readonly append?: true;
    readonly last?: true;
}

interface ArtifactContent {
    readonly id: string;
    readonly name?: string;
    readonly description?: string;
    readonly parts: readonly Part[];
    readonly metadata?: JsonObject;
    readonly extensions?: readonly string[];
}

interface BytesPart extends PartFacts {
    readonly bytes: Uint8Array;
}

interface CallContext {
    readonly principal: Principal;
    readonly face: string;
    readonly agentId: string;
    readonly ceiling?: Ceiling;
    readonly received?: Received;
    readonly signal: AbortSignal;
    readonly now: () => number;
}

interface Ceiling {
    readonly allow: {
        readonly ct: readonly string[];
        readonly tools: readonly string[];
    };
    readonly notAfterMs: number;
    readonly isGrant?: true;
}

interface DataPart extends PartFacts {
    readonly data: JsonValue;
}

interface DelegationChange {
    readonly type: 'delegation';
    readonly child: TaskChild;
}

interface EvidenceHashes {
    readonly content: string;
    readonly raw?: string;
}

type JsonArray = readonly JsonValue[];

interface JsonObject {
    readonly [member: string]: JsonValue;
}

type JsonValue = null | boolean | number | string | LosslessNumber | JsonArray | JsonObject;

interface KeptArtifact {
    readonly id: string;
    readonly parts: number;
    readonly length?: number;
    readonly isComplete: boolean;
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

interface Message extends MessageContent {
    readonly text: string;
    readonly data: JsonValue | undefined;
    toString(): string;
}

interface MessageChange {
    readonly type: 'message';
    readonly message: Message;
    readonly answers?: number;
    readonly deadline?: number;
}

interface MessageContent {
    readonly id: string;
    readonly role: 'user' | 'agent';
    readonly parts: readonly Part[];
    readonly metadata?: JsonObject;
    readonly extensions?: readonly string[];
    readonly references?: readonly string[];
    readonly source?: MessageSource;
}

interface MessageSource {
    readonly face: string;
    readonly value: JsonObject;
}

type Part = TextPart | DataPart | BytesPart | UrlPart;

interface PartFacts {
    readonly mediaType?: string;
    readonly filename?: string;
    readonly metadata?: JsonObject;
}

interface Placed {
    readonly generation: number;
    readonly at: number;
}

interface Principal {
    readonly id: string;
    readonly tenant: string;
    readonly scheme: string;
    readonly caller?: string;
    readonly expiresAt?: number;
}

interface Received {
    readonly bytes: Uint8Array;
    readonly isSecret?: true;
    readonly mediaType: string;
    readonly version?: string;
    readonly transport?: string;
    readonly sentAt?: string;
    readonly taskId?: string;
    readonly messageId?: string | null;
}

interface StatusChange {
    readonly type: 'status';
    readonly status: Omit<TaskStatus, 'at' | 'asked'>;
    readonly attempt?: number;
    readonly deadline?: number;
    readonly keep?: readonly KeptArtifact[];
    readonly direct?: true;
}

type StatusEvent = Omit<StatusChange, 'status'> & Placed & {
    readonly status: TaskStatus;
};

interface Task {
    readonly tenant: string;
    readonly owner: string;
    readonly id: string;
    readonly contextId?: string;
    readonly kind?: string;
    readonly parent?: string;
    readonly deadline?: number;
    readonly direct?: true;
    readonly status: TaskStatus;
    readonly generation: number;
    readonly attempt: number;
    readonly history: readonly Message[];
    readonly artifacts: readonly Artifact[];
    readonly children: readonly TaskChild[];
    readonly metadata: JsonObject;
    readonly source: TaskSource;
    readonly authority: TaskAuthority;
    readonly createdAt: number;
}

interface TaskAuthority {
    readonly scheme: string;
    readonly caller?: string;
    readonly ceiling?: {
        readonly allow: {
            readonly ct: readonly string[];
            readonly tools: readonly string[];
        };
        readonly notAfterMs: number;
        readonly isGrant?: true;
    };
}

interface TaskChild {
    readonly agentId: string;
    readonly id: string;
    readonly status: string;
    readonly deadline?: number;
    readonly children?: readonly TaskChild[];
    readonly isCut?: true;
}

type TaskEvent = StatusEvent | (MessageChange & Placed) | (ArtifactChange & Placed) | (DelegationChange & Placed);

interface TaskFailure {
    readonly code: string;
    readonly message: string;
    readonly retryable: boolean;
}

interface TaskSource {
    readonly face: string;
    readonly value: JsonValue;
}

type TaskState = 'submitted' | 'working' | 'input-required' | 'auth-required' | 'completed' | 'failed' | 'canceled' | 'rejected';

interface TaskStatus {
    readonly state: TaskState;
    readonly at: number;
    readonly message?: Message;
    readonly fraction?: number;
    readonly asked?: number;
    readonly failure?: TaskFailure;
}

interface TaskStep {
    readonly task: Task;
    readonly event?: TaskEvent;
}

interface TextPart extends PartFacts {
    readonly text: string;
}

interface UrlPart extends PartFacts {
    readonly url: string;
}

interface Witness {
    open(agent: WitnessAgent): Promise<void>;
    accepted(accepted: AcceptedMessage): Promise<EvidenceHashes | undefined>;
    sent(call: CallContext, step: TaskStep): void;
    stats(): WitnessStats;
    close(): Promise<void>;
}

interface WitnessAgent {
    readonly agentId: string;
    readonly now: () => number;
    readonly onError: (cause: unknown) => void;
}

interface WitnessStats {
    readonly isWell: boolean;
    readonly written: number;
    readonly lost: number;
    readonly failures: number;
}
