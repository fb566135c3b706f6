// Which contracts the events of managed venues count from, and what becomes of logs that are
// garbage.
import fc from 'fast-check'
import { type AbiEvent, parseAbiItem, toEventSelector } from 'viem'
import { expect, test } from 'vitest'
import { encodeLog } from '../../../../../test/support/encodeLog.ts'
import { eventArb, hexArb } from '../../../../../test/support/eventArb.ts'
import { propertyRuns } from '../../../../../test/support/propertyRuns.ts'
import { venueAbi } from '../../../../../test/support/venueAbi.ts'
import { knownVenues } from '../../venues/evm/venues.ts'
import { createDecodeCounts, decodeEvmBlock } from './decodeEvmBlock.ts'

const txHash = `0x${'01'.repeat(32)}`
const wallet = `0x${'02'.repeat(20)}`
const emitter = `0x${'0a'.repeat(20)}`
const place = { address: emitter, logIndex: 3, transactionHash: txHash }
const ref = { number: 7, hash: txHash, parentNumber: 6, parentHash: txHash, timeS: 1_700_000_000 }

const managedVenues = knownVenues.names.filter((venue) => knownVenues.find(venue)!.isManaged)

/** Events that only venues with managers have. */
const managedEvents = Object.entries(venueAbi).filter(([, abi]) => {
  const topic0 = toEventSelector(abi)
  const owners = knownVenues.names.filter((venue) => topic0 in knownVenues.find(venue)!.events)
  return owners.length > 0 && owners.every((venue) => managedVenues.includes(venue))
})

test('events of managers count only from contracts that the configuration names for their venue', () => {
  expect(managedEvents.length).toBeGreaterThan(4)
  const seen = new Set<string>()
  for (const [name, abi] of managedEvents) {
    const event = parseAbiItem(abi) as AbiEvent
    const topic0 = toEventSelector(event)
    const isOwn = (venue: string) => topic0 in knownVenues.find(venue)!.events
    const property = fc.property(eventArb(event), (args) => {
      const logs = [encodeLog(event, args, place)]
      const decode = (managers: ReadonlyMap<string, string>) => {
        const counts = createDecodeCounts()
        const { events } = decodeEvmBlock({ ref, logs, senders: new Map() }, { counts, managers })
        return { events: events.length, malformed: counts.malformed }
      }
      const nothing = { events: 0, malformed: 0 }
      expect(decode(new Map())).toEqual(nothing)
      for (const venue of knownVenues.names) {
        expect(decode(new Map([[wallet, venue]]))).toEqual(nothing)
        const { events, malformed } = decode(new Map([[emitter, venue]]))
        if (!isOwn(venue)) expect({ events, malformed }).toEqual(nothing)
        else if (events > 0 || malformed > 0) seen.add(name)
      }
    })
    fc.assert(property, { numRuns: 20 })
  }
  // Each was decoded, or counted as malformed, where its venue's manager emitted it.
  expect([...seen]).toEqual(managedEvents.map(([name]) => name))
})

test('a log of garbage gives no event or is not counted, and one without its data is always counted', () => {
  const topics = Object.values(venueAbi).map((abi) => toEventSelector(abi))
  const garbage = fc.record({
    topic0: fc.constantFrom(...topics),
    more: fc.array(hexArb(32), { maxLength: 3 }),
    data: fc.oneof(
      fc.uint8Array({ maxLength: 400 }).map((b) => `0x${Buffer.from(b).toString('hex')}`),
      fc.string(),
    ),
    venue: fc.constantFrom(...knownVenues.names),
  })
  let malformed = 0
  fc.assert(
    fc.property(garbage, ({ topic0, more, data, venue }) => {
      const logs = [{ ...place, topics: [topic0, ...more], data }]
      const counts = createDecodeCounts()
      const managers = new Map([[emitter, venue]])
      const { events } = decodeEvmBlock({ ref, logs, senders: new Map() }, { counts, managers })
      expect(counts).toMatchObject({ spoofed: 0 })
      expect([0, events.length > 0 ? 0 : 1]).toContain(counts.malformed)
      malformed += counts.malformed
    }),
    { numRuns: propertyRuns(2_000) },
  )
  expect(malformed).toBeGreaterThan(0)
})

test.each(Object.entries(venueAbi).filter(([name]) => /^swap[A-Z]|^exchange/.test(name)))(
  '%s without its data is counted as malformed',
  (_, abi) => {
    const topic0 = toEventSelector(abi)
    const owners = knownVenues.names.filter((venue) => topic0 in knownVenues.find(venue)!.events)
    const logs = [{ ...place, topics: [topic0], data: '0x' }]
    for (const venue of owners) {
      const counts = createDecodeCounts()
      const managers = new Map([[emitter, venue]])
      const { events } = decodeEvmBlock({ ref, logs, senders: new Map() }, { counts, managers })
      expect({ events, ...counts }).toEqual({
        events: [],
        malformed: 1,
        unknownSenders: 0,
        spoofed: 0,
      })
    }
  },
)
