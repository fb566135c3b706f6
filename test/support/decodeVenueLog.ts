// One log of any venue's event, decoded with its emitter as the venue's manager.
import { type AbiEvent, parseAbiItem, toEventSelector } from 'viem'
import {
  createDecodeCounts,
  decodeEvmBlock,
} from '../../packages/server/src/decode/evm/decodeEvmBlock.ts'
import type { EvmLog } from '../../packages/server/src/model/evm/evmBlock.ts'
import { knownVenues } from '../../packages/server/src/venues/evm/venues.ts'
import { venueAbi } from './venueAbi.ts'

const txHash = `0x${'01'.repeat(32)}`
export const wallet = `0x${'02'.repeat(20)}`
export const emitter = `0x${'0a'.repeat(20)}`
export const place = { address: emitter, logIndex: 3, transactionHash: txHash }
export const ref = {
  number: 7,
  hash: txHash,
  parentNumber: 6,
  parentHash: txHash,
  timeS: 1_700_000_000,
}

export type EventName = keyof typeof venueAbi

export const eventOf = (name: EventName) => parseAbiItem(venueAbi[name]) as AbiEvent

/** The venues that read this event. */
export function ownersOf(name: EventName): string[] {
  const topic0 = toEventSelector(eventOf(name))
  return knownVenues.names.filter((venue) => topic0 in knownVenues.find(venue)!.events)
}

export function decodeVenueLog(name: EventName, log: EvmLog) {
  const manager = ownersOf(name).find((venue) => knownVenues.find(venue)!.isManaged)
  const managers = new Map(manager === undefined ? [] : [[emitter, manager]])
  const counts = createDecodeCounts()
  const block = { ref, logs: [log], senders: new Map([[txHash, wallet]]) }
  return { ...decodeEvmBlock(block, { counts, managers }), counts }
}
