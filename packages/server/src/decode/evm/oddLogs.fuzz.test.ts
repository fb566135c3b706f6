// Logs that no contract can emit: each is refused, or the odd part is not read.
import fc from 'fast-check'
import type { AbiParameter } from 'viem'
import { expect, test } from 'vitest'
import {
  decodeVenueLog,
  type EventName,
  eventOf,
  ownersOf,
  place,
} from '../../../../../test/support/decodeVenueLog.ts'
import { encodeLog } from '../../../../../test/support/encodeLog.ts'
import { eventArb } from '../../../../../test/support/eventArb.ts'
import { propertyRuns } from '../../../../../test/support/propertyRuns.ts'
import { venueAbi } from '../../../../../test/support/venueAbi.ts'
import type { EvmLog } from '../../model/evm/evmBlock.ts'

/** Words in the head of the data that an argument takes. */
function wordsOf(input: AbiParameter): number {
  const { type } = input
  const list = /^(.*)\[(\d+)\]$/.exec(type)
  if (list) return Number(list[2]) * wordsOf({ ...input, type: list[1]! })
  if (type !== 'tuple') return 1
  return (input as AbiTuple).components.reduce((total, part) => total + wordsOf(part), 0)
}

type AbiTuple = AbiParameter & { components: AbiParameter[] }

const wordSpan = 2n ** 256n
const wordOf = (value: bigint) => BigInt.asUintN(256, value).toString(16).padStart(64, '0')

/** Words just outside of a type; none if every word is inside. */
function wordsOutside(type: string): string[] {
  if (type === 'address') return [wordOf(1n << 160n)]
  if (type === 'bool') return [wordOf(2n)]
  const [, sign, digits] = /^(u?)int(\d+)$/.exec(type) ?? []
  const span = 1n << BigInt(digits ?? 256)
  if (span === wordSpan) return []
  return (sign ? [span] : [span, -span]).map(wordOf)
}

/** Words of configured managers that are taken as they come. */
const unchecked: Partial<Record<EventName, readonly string[]>> = {
  initializeV4: ['tickSpacing'],
  swapV4: ['fee'],
  swapInfinityCl: ['fee', 'protocolFee'],
  swapInfinityBin: ['fee'],
}

/** The log with one word after the other outside of its type. */
function* logsOutside(name: EventName, log: EvmLog): Generator<EvmLog> {
  let [at, topic] = [0, 1]
  for (const input of eventOf(name).inputs) {
    const words = unchecked[name]?.includes(input.name!) ? [] : wordsOutside(input.type)
    for (const word of words)
      if (input.indexed) yield { ...log, topics: log.topics.with(topic, `0x${word}`) }
      else
        yield { ...log, data: log.data.slice(0, 2 + 64 * at) + word + log.data.slice(66 + 64 * at) }
    if (input.indexed) topic += 1
    else at += wordsOf(input)
  }
}

/** The log with an argument too much or too few. */
function* logsOfOtherShape({ topics, ...log }: EvmLog): Generator<EvmLog> {
  yield { ...log, topics: [...topics, `0x${wordOf(1n)}`] }
  yield { ...log, topics: topics.slice(0, -1) }
  yield { ...log, topics, data: log.data.slice(0, -64) }
  yield { ...log, topics, data: log.data.slice(0, -2) }
  yield { ...log, topics, data: '0x' }
}

test.each((Object.keys(venueAbi) as EventName[]).filter((name) => ownersOf(name).length > 0))(
  'behavior: %s with an odd word or shape is refused, or not read',
  (name) => {
    const event = eventOf(name)
    fc.assert(
      fc.property(eventArb(event), (args) => {
        const log = encodeLog(event, args, place)
        const usual = decodeVenueLog(name, log)
        if (usual.counts.malformed > 0) return
        for (const odd of [...logsOutside(name, log), ...logsOfOtherShape(log)]) {
          // Without its first topic it is no event at all.
          if (odd.topics.length === 0) continue
          const { events, counts } = decodeVenueLog(name, odd)
          if (counts.malformed === 0) expect(events, JSON.stringify(odd)).toEqual(usual.events)
          else expect(events).toEqual([])
        }
      }),
      { numRuns: propertyRuns(60) },
    )
  },
)
