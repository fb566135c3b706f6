// What is said to a Yellowstone node and what it says, by the numbers of the fields in geyser.proto.
import type { Commitment } from '../fetchedBlock.ts'
import { bytesField, fieldsOf, numberField } from './protobuf.ts'

export const subscribePath = '/geyser.Geyser/Subscribe'

const levels: Readonly<Record<Commitment, number>> = { processed: 0, confirmed: 1, finalized: 2 }
// Fields of SubscribeRequest, of its filters by name, and of the filter of blocks.
const [blocks, commitmentLevel, ping] = [4, 6, 9]
const [mapKey, mapValue] = [1, 2]
const includeTransactions = 2
const pingId = 1

/** Whole blocks, each when it has reached the commitment. */
export function subscribeRequest(commitment: Commitment): Buffer {
  const filter = Buffer.concat([
    bytesField(mapKey, Buffer.from('blocks')),
    bytesField(mapValue, numberField(includeTransactions, 1)),
  ])
  return Buffer.concat([
    bytesField(blocks, filter),
    numberField(commitmentLevel, levels[commitment]),
  ])
}

/** The answer to a node that asks whether anybody is there. */
export function pingRequest(): Buffer {
  return bytesField(ping, numberField(pingId, 1))
}

export type Update = { type: 'block'; bytes: Buffer } | { type: 'ping' | 'other' }

/** Of SubscribeUpdate. */
export function readUpdate(message: Buffer): Update {
  const [blockField, pingField] = [5, 6]
  for (const { number, bytes } of fieldsOf(message)) {
    if (number === blockField) return { type: 'block', bytes }
    if (number === pingField) return { type: 'ping' }
  }
  return { type: 'other' }
}
