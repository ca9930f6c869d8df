// a2a-sdl/door: 82 names. Made by "npm run api" from the emitted declarations; not to be edited.

export interface AcceptedMessage {
    readonly call: CallContext;
    readonly operation: 'start' | 'message';
    readonly message: Message;
    readonly taskId?: string;
    readonly kind?: string;
}

export type Accepts = (message: Message, call: CallContext) => MaybePromise<Words | undefined | void>;

export interface Artifact extends ArtifactContent {
    readonly text: string;
    readonly data: JsonValue | undefined;
    readonly isComplete: boolean;
}

export interface ArtifactContent {
    readonly id: string;
    readonly name?: string;
    readonly description?: string;
    readonly parts: readonly Part[];
    readonly metadata?: JsonObject;
    readonly extensions?: readonly string[];
}

export interface ArtifactPiece {
    readonly artifact: ArtifactContent;
    readonly append: boolean;
    readonly last: boolean;
}

export interface Authenticated {
    readonly principal: Principal;
    readonly ceiling?: Ceiling;
}

export interface AuthorTask extends Task {
    readonly text: string;
    readonly data: JsonValue | undefined;
}

export interface CallContext {
    readonly principal: Principal;
    readonly face: string;
    readonly agentId: string;
    readonly ceiling?: Ceiling;
    readonly received?: Received;
    readonly signal: AbortSignal;
    readonly now: () => number;
}

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

export interface CanceledTask {
    readonly task: Task;
    readonly hasEnded: boolean;
}

export interface Ceiling {
    readonly allow: {
        readonly ct: readonly string[];
        readonly tools: readonly string[];
    };
    readonly notAfterMs: number;
    readonly isGrant?: true;
}

export declare const ERRORS: Readonly<Record<ErrorCode, ErrorRow>>;

export declare const EVERY_OWNER: unique symbol;

export type ErrorCode = 'ENCODING_UNSUPPORTED' | 'ENCODING_INVALID' | 'LIMIT_BYTES' | 'LIMIT_DEPTH' | 'LIMIT_ARRAY' | 'LIMIT_MEMBERS' | 'LIMIT_VALUES' | 'LIMIT_STRING' | 'LIMIT_NUMBER' | 'LIMIT_HOPS' | 'LIMIT_RATE' | 'ENVELOPE_INVALID' | 'NUMBER_INEXACT' | 'CT_UNSUPPORTED' | 'VERSION_UNSUPPORTED' | 'ADDRESS_WRONG' | 'UNAUTHENTICATED' | 'SENDER_REFUSED' | 'MODE_REFUSED' | 'SIGNATURE_INVALID' | 'DECRYPT_FAILED' | 'BINDING_INVALID' | 'NOT_AUTHORIZED' | 'TIME_INVALID' | 'REPLAYED' | 'REPLAY_FULL' | 'SESSION_INVALID' | 'SCHEMA_DESCRIPTOR' | 'SCHEMA_HASH' | 'SCHEMA_URI' | 'SCHEMA_UNSUPPORTED' | 'SCHEMA_WORK' | 'PAYLOAD_INVALID' | 'STATE_BASE' | 'STATE_PATCH' | 'TASK_UNKNOWN' | 'TASK_CONFLICT' | 'TASK_ENDED' | 'TASK_REFUSED' | 'DRAINING' | 'UNAVAILABLE' | 'DEADLINE' | 'INTERNAL';

export interface ErrorRow {
    readonly wire: WireCode;
    readonly http: number;
    readonly retryable: boolean;
    readonly words: string;
}

export interface EvidenceHashes {
    readonly content: string;
    readonly raw?: string;
}

export declare const FOREIGN_MARK = "~";

export interface FollowTask extends OwnerOption {
    readonly isSilent?: boolean;
}

export interface GetOptions extends OwnerOption {
    readonly historyLength?: number;
    readonly includeArtifacts?: boolean;
}

export type HandedPart = Pick<TaskChild, 'agentId' | 'id' | 'status'>;

export type HookAnswer = 'told' | 'gone' | 'later' | {
    readonly later: number;
};

export interface HookNotice {
    readonly hook: TaskHook;
    readonly step: TaskStep;
    readonly isLast: boolean;
    readonly deliveryId: string;
    readonly earlier: () => AsyncIterable<TaskStep>;
}

export interface HookTeller {
    tell(notice: HookNotice, signal: AbortSignal): Promise<HookAnswer>;
}

export interface Idempotency {
    readonly id: string;
    readonly digest: string;
    readonly isDerived?: boolean;
    readonly rerun?: 'retryable' | ((ended: Task) => boolean);
    readonly extends?: true;
}

export interface JsonObject {
    readonly [member: string]: JsonValue;
}

export type JsonValue = null | boolean | number | string | LosslessNumber | JsonArray | JsonObject;

export type Keepable = JsonValue | Message | readonly Keepable[] | {
    readonly [name: string]: Keepable;
};

export interface ListTasks extends TaskFilter {
    readonly owner?: string | typeof EVERY_OWNER;
}

export interface ListWholeTasks extends TaskFilter, OwnerOption {
    readonly isWhole: true;
}

export interface Message extends MessageContent {
    readonly text: string;
    readonly data: JsonValue | undefined;
    toString(): string;
}

export interface MessageContent {
    readonly id: string;
    readonly role: 'user' | 'agent';
    readonly parts: readonly Part[];
    readonly metadata?: JsonObject;
    readonly extensions?: readonly string[];
    readonly references?: readonly string[];
    readonly source?: MessageSource;
}

export interface MessageOptions extends OwnerOption {
    readonly answers?: number;
    readonly hook?: NewHook;
    readonly carrier?: Principal;
}

export interface NewHook {
    readonly id?: string;
    readonly isNamedAfterTask?: boolean;
    readonly facts: JsonObject;
    readonly lane?: string;
}

export type OnTask = (task: AuthorTask, ctx: TaskContext) => Promise<TaskResult> | AsyncGenerator<TaskResult, TaskResult>;

export type OperationName = 'start' | 'message' | 'get' | 'list' | 'follow' | 'cancel' | 'hook' | 'hooks' | 'unhook';

export interface OwnerOption {
    readonly owner?: string;
}

export type Part = TextPart | DataPart | BytesPart | UrlPart;

export interface Principal {
    readonly id: string;
    readonly tenant: string;
    readonly scheme: string;
    readonly caller?: string;
    readonly expiresAt?: number;
}

export interface Received {
    readonly bytes: Uint8Array;
    readonly isSecret?: true;
    readonly mediaType: string;
    readonly version?: string;
    readonly transport?: string;
    readonly sentAt?: string;
    readonly taskId?: string;
    readonly messageId?: string | null;
}

export interface Rights {
    of(principal: Principal): Standing | undefined;
}

export declare class SdlError extends Error {
    readonly name = "SdlError";
    readonly code: ErrorCode;
    readonly reason: string;
    readonly details: ErrorDetails;
    constructor(code: ErrorCode, reason: string, options?: SdlErrorOptions);
    get row(): ErrorRow;
    get wireCode(): WireCode;
}

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

export interface StartTask extends Omit<TaskRequest, 'message' | 'source'> {
    readonly message: MessageContent;
    readonly source?: TaskSource;
    readonly hook?: NewHook;
    readonly carrier?: Principal;
}

export interface StartedTask {
    readonly task: Task;
    readonly isNew: boolean;
}

export type StatusEvent = Omit<StatusChange, 'status'> & Placed & {
    readonly status: TaskStatus;
};

export interface Task {
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

export interface TaskAuthority {
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

export interface TaskChild {
    readonly agentId: string;
    readonly id: string;
    readonly status: string;
    readonly deadline?: number;
    readonly children?: readonly TaskChild[];
    readonly isCut?: true;
}

export interface TaskContext {
    readonly signal: AbortSignal;
    readonly deadline: number;
    readonly attempt: number;
    readonly restored: Keepable | undefined;
    readonly tools: TaskTools;
    readonly progress: (report: string | TaskProgress | SpokenProgress) => Promise<TaskEvent | undefined>;
    readonly artifact: (input: ArtifactInput) => Promise<TaskEvent | undefined>;
    readonly ask: (question?: Words, options?: AskOptions) => Promise<Message>;
    readonly next: () => Promise<Message>;
    readonly answer: (words: Words, options?: AnswerOptions) => Promise<TaskEvent | undefined>;
    readonly delegate: Delegate;
    readonly handedTo: (part: HandedPart) => Promise<TaskEvent | undefined>;
    readonly hops: number;
    readonly grants: readonly JsonObject[];
    readonly checkpoint: (value: Keepable) => Promise<void>;
}

export declare class TaskError extends Error {
    readonly name = "TaskError";
    readonly code: string;
    readonly retryable: boolean;
    readonly rejects: boolean;
    readonly cancels: boolean;
    constructor(message: string, options?: TaskErrorOptions);
}

export type TaskEvent = StatusEvent | (MessageChange & Placed) | (ArtifactChange & Placed) | (DelegationChange & Placed);

export interface TaskFailure {
    readonly code: string;
    readonly message: string;
    readonly retryable: boolean;
}

export interface TaskFilter {
    readonly state?: TaskState;
    readonly contextId?: string;
    readonly since?: number;
    readonly pageSize?: number;
    readonly cursor?: string;
}

export interface TaskHook extends Omit<NewHook, 'isNamedAfterTask'> {
    readonly id: string;
    readonly number: number;
    readonly createdAt: number;
}

export interface TaskPage {
    readonly tasks: readonly TaskSummary[];
    readonly next?: string;
    readonly total: number;
}

export type TaskResult = JsonValue | Message | TaskEvent | undefined | void;

export interface TaskService {
    authorize(call: CallContext, operation: OperationName): Promise<void>;
    start(call: CallContext, start: StartTask): Promise<StartedTask>;
    message(call: CallContext, id: string, message: MessageContent, options?: MessageOptions): Promise<Task>;
    carried(call: CallContext, id: string): Promise<CallContext | undefined>;
    get(call: CallContext, id: string, options?: GetOptions): Promise<Task | undefined>;
    list(call: CallContext, options: ListWholeTasks): Promise<WholeTaskPage>;
    list(call: CallContext, options?: ListTasks): Promise<TaskPage>;
    follow(call: CallContext, id: string, after?: number, options?: FollowTask): AsyncIterable<TaskStep>;
    readonly sent: TellSent;
    cancel(call: CallContext, id: string, options?: OwnerOption): Promise<CanceledTask | undefined>;
    setHook(call: CallContext, id: string, hook: NewHook): Promise<TaskHook>;
    hooks(call: CallContext, id: string): Promise<readonly TaskHook[]>;
    dropHook(call: CallContext, id: string, hookId: string): Promise<void>;
}

export interface TaskSource {
    readonly face: string;
    readonly value: JsonValue;
}

export type TaskState = 'submitted' | 'working' | 'input-required' | 'auth-required' | 'completed' | 'failed' | 'canceled' | 'rejected';

export interface TaskStatus {
    readonly state: TaskState;
    readonly at: number;
    readonly message?: Message;
    readonly fraction?: number;
    readonly asked?: number;
    readonly failure?: TaskFailure;
}

export interface TaskStep {
    readonly task: Task;
    readonly event?: TaskEvent;
}

export interface TaskSummary extends Pick<Task, 'tenant' | 'owner' | 'id' | 'contextId' | 'kind' | 'parent' | 'deadline' | 'status' | 'generation' | 'attempt' | 'createdAt'> {
    readonly text: string;
}

export interface WholeTaskPage extends TaskPage {
    readonly whole: readonly Task[];
}

export type Wish = {
    readonly ct: string;
} | {
    readonly tool: string;
};

export interface Witness {
    open(agent: WitnessAgent): Promise<void>;
    accepted(accepted: AcceptedMessage): Promise<EvidenceHashes | undefined>;
    sent(call: CallContext, step: TaskStep): void;
    stats(): WitnessStats;
    close(): Promise<void>;
}

export interface WitnessAgent {
    readonly agentId: string;
    readonly now: () => number;
    readonly onError: (cause: unknown) => void;
}

export interface WitnessStats {
    readonly isWell: boolean;
    readonly written: number;
    readonly lost: number;
    readonly failures: number;
}

export declare function changedCall(call: CallContext, changes: Partial<Pick<CallContext, 'signal' | 'received'>>): CallContext;

export declare function createArtifact(content: ArtifactContent, isComplete: boolean): Artifact;

export declare function createMessage(content: MessageContent, where?: string): Message;

export declare function isResting(state: TaskState): boolean;

export declare function isTerminal(state: TaskState): boolean;

export declare function isWaiting(state: TaskState): boolean;

export declare function joinArtifact(artifacts: readonly Artifact[], { artifact, append, last }: ArtifactPiece): readonly Artifact[];

export declare function toSdlError(thrown: unknown): SdlError;

export declare function untilRest(steps: AsyncIterable<TaskStep>, signal?: AbortSignal): Promise<Task | undefined>;

export declare function writeMessage(message: MessageContent): JsonObject;

export declare function writeParts(parts: readonly Part[]): JsonArray;

// Reached from these.

interface AnswerOptions {
    readonly isTask?: boolean;
}

interface ArtifactChange {
    readonly type: 'artifact';
    readonly artifact: ArtifactContent;
    readonly append?: true;
    readonly last?: true;
}

interface ArtifactFacts {
    readonly id?: string;
    readonly name?: string;
    readonly description?: string;
    readonly metadata?: JsonObject;
    readonly extensions?: readonly string[];
    readonly append?: boolean;
    readonly last?: boolean;
}

type ArtifactInput = ArtifactFacts & (OnePart | {
    readonly parts: readonly Part[];
});

interface AskOptions {
    readonly kind?: 'input' | 'auth';
}

interface BytesPart extends PartFacts {
    readonly bytes: Uint8Array;
}

interface ChildArtifact extends Artifact {
    readonly append: boolean;
}

interface ChildInput {
    readonly goal: string;
    readonly inputs?: JsonObject;
    readonly constraints?: JsonObject;
    readonly deliverables?: readonly JsonObject[];
    readonly acceptance?: readonly string[];
    readonly context?: JsonObject;
}

interface ChildTask extends AsyncIterable<ChildUpdate> {
    readonly agentId: string;
    readonly id: string;
    result(): Promise<ChildUpdate>;
    reply(reply: Words): Promise<void>;
    cancel(): Promise<void>;
}

interface ChildUpdate {
    readonly status: string;
    readonly progress?: TaskProgress;
    readonly artifacts: readonly ChildArtifact[];
    readonly isWhole: boolean;
    readonly failure?: TaskFailure;
    readonly question?: Message;
    readonly answer?: Message;
    readonly hasEnded: boolean;
}

interface DataPart extends PartFacts {
    readonly data: JsonValue;
}

type Delegate = (target: string, task: string | ChildInput, options?: DelegateOptions) => ChildTask;

interface DelegateOptions {
    readonly id?: string;
    readonly deadline?: number;
    readonly relay?: boolean;
    readonly grant?: JsonObject;
    readonly handOn?: readonly string[];
    readonly allow?: {
        readonly ct: readonly string[];
        readonly tools: readonly string[];
    };
}

interface DelegationChange {
    readonly type: 'delegation';
    readonly child: TaskChild;
}

type ErrorDetails = Readonly<Record<string, string | number | boolean | readonly string[]>>;

type JsonArray = readonly JsonValue[];

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

type MaybePromise<T> = T | Promise<T>;

interface MessageChange {
    readonly type: 'message';
    readonly message: Message;
    readonly answers?: number;
    readonly deadline?: number;
}

interface MessageSource {
    readonly face: string;
    readonly value: JsonObject;
}

interface OnePart {
    readonly text?: string;
    readonly json?: JsonValue;
    readonly bytes?: Uint8Array;
    readonly url?: string;
    readonly mediaType?: string;
    readonly filename?: string;
}

interface PartFacts {
    readonly mediaType?: string;
    readonly filename?: string;
    readonly metadata?: JsonObject;
}

interface Placed {
    readonly generation: number;
    readonly at: number;
}

interface SdlErrorOptions {
    readonly details?: ErrorDetails;
    readonly cause?: unknown;
}

interface SpokenProgress {
    readonly words: Words;
    readonly fraction?: number;
}

interface StatusChange {
    readonly type: 'status';
    readonly status: Omit<TaskStatus, 'at' | 'asked'>;
    readonly attempt?: number;
    readonly deadline?: number;
    readonly keep?: readonly KeptArtifact[];
    readonly direct?: true;
}

interface TaskErrorOptions {
    readonly code?: string;
    readonly retryable?: boolean;
    readonly rejects?: boolean;
    readonly cancels?: boolean;
    readonly cause?: unknown;
}

interface TaskProgress {
    readonly message: string;
    readonly fraction?: number;
}

interface TaskRequest {
    readonly message: Message;
    readonly contextId?: string;
    readonly kind?: string;
    readonly parent?: string;
    readonly deadline?: number;
    readonly priority?: number;
    readonly metadata?: JsonObject;
    readonly source: TaskSource;
    readonly idempotency?: Idempotency;
    readonly rejection?: TaskFailure;
}

interface TaskTools {
    has(name: string): boolean;
    list(): readonly string[];
    call(name: string, args: JsonObject): Promise<JsonValue>;
}

type TellSent = Witness['sent'];

interface TextPart extends PartFacts {
    readonly text: string;
}

interface UrlPart extends PartFacts {
    readonly url: string;
}

type WireCode = 'UNSUPPORTED_ENCODING' | 'UNSUPPORTED_CT' | 'SCHEMA_INVALID' | 'SECURITY_UNSUPPORTED' | 'BAD_REQUEST' | 'INTERNAL';

type Words = string | Part | readonly Part[] | Pick<MessageContent, 'parts' | 'metadata' | 'extensions' | 'references'>;
