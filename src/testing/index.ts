/**
 * What test suites import from "harness-kit/testing", listed by hand.
 *
 * Testing wing: floors 0 to 4, and Node.
 *
 * @module harness-kit/testing
 */
export { assertRunInvariants } from "./assert-run-invariants.ts";
export type { RunBounds } from "./assert-run-invariants-record.ts";
export { type Chaos, type ChaosPlan, chaos, type FiredFault } from "./chaos.ts";
export { FAULTS, type FaultName } from "./chaos-faults.ts";
export {
  type FakeProvider,
  type FakeProviderOptions,
  type FakeReplyFunction,
  fakeProvider,
} from "./fake-provider/fake-provider.ts";
export type {
  FakeAnswer,
  FakeCut,
  FakeEvents,
  FakeRaw,
  FakeReply,
  FakeRequest,
  FakeSilence,
  FakeStatus,
  FakeToolCall,
  FakeTransport,
} from "./fake-provider/reply.ts";
export { type ModelContractOptions, modelContract } from "./model-contract.ts";
export type { ContractEndpoint, ContractExpect } from "./model-contract-kit.ts";
export { recordModel, replayModel } from "./recorded-model.ts";
export { type RecordingClock, type RecordingClockOptions, recordingClock } from "./recording-clock.ts";
export {
  callTool,
  callTools,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedResponse,
  type ScriptedTurn,
  scriptedModel,
} from "./scripted-model.ts";
export { type StoreContractOptions, storeContract } from "./store-contract.ts";
export type { StoreUnderTest } from "./store-contract-kit.ts";
