import { expect } from 'vitest'
import type { JsonSchema } from '../../packages/server/src/gateway/ground/schemas.ts'
import { schemaFaults } from './checkSchema.ts'
import { type Frame, isAnswer, type ProgramSocket } from './programSocket.ts'

/** The parts of the AsyncAPI document that tests use. */
export type MessageDocument = {
  components: {
    messages: Record<string, { payload: JsonSchema }>
    schemas: Record<string, JsonSchema>
  }
}

const pushNames: Record<string, string> = {
  tx: 'txPush',
  liq: 'liqPush',
  kline: 'klinePush',
  price: 'pricePush',
  trending: 'trendingPush',
  new_pairs: 'newPairsPush',
  wallet: 'walletPush',
  trades: 'tradesPush',
  launches: 'launchesPush',
  holders: 'holdersPush',
  screener: 'screenerPush',
  heartbeat: 'heartbeatPush',
}

/**
 * Name of the document's message for a frame; `topic` is the subscribed topic of the frame's id.
 */
export function messageNameOf(frame: Frame, topic: string): string {
  if (frame.error !== undefined) return frame.jsonrpc === undefined ? 'keyError' : 'callError'
  if (frame.result === 'pong') return 'pong'
  if (isAnswer(frame)) return frame.result.subscribed ? 'subscribed' : 'unsubscribed'
  if (frame.result.data !== undefined) return 'switchPush'
  return topic === 'multi_tx' ? 'multiTxPush' : (pushNames[frame.result.topic] ?? 'nothing')
}

/** Checks every frame that a socket received against the document. */
export function expectDocumented(
  { components: { messages, schemas } }: MessageDocument,
  { frames }: ProgramSocket,
  topicOf: (id: number) => string,
): void {
  expect(frames.length).toBeGreaterThan(0)
  for (const frame of frames) {
    const name = messageNameOf(frame, topicOf(frame.id ?? 0))
    const message = messages[name]
    expect([name, message === undefined]).toEqual([name, false])
    expect([name, frame, schemaFaults(message!.payload, frame, schemas)]).toEqual([name, frame, []])
  }
}
