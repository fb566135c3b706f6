// Writes docs/reference/coverage.md: what is decoded of which venue on which chain, seen by running
// the decoders, and how it is tested.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { type AbiEvent, parseAbiItem, toEventSelector } from 'viem'
import { encodeLog } from '../../../test/support/encodeLog.ts'
import { eventAbi } from '../../../test/support/eventAbi.ts'
import { eventArb } from '../../../test/support/eventArb.ts'
import { recordedSwaps, recordedTransactions } from '../../../test/support/solana/recorded.ts'
import { venueAbi } from '../../../test/support/venueAbi.ts'
import { presets } from '../src/config/presets.ts'
import { decodeEvmBlock } from '../src/decode/evm/decodeEvmBlock.ts'
import { decodeSolanaTransactions } from '../src/decode/solana/decodeSolanaBlock.ts'
import type { DecodedEvent } from '../src/model/decodedBlock.ts'
import type { PoolKind } from '../src/model/pool.ts'
import { findReceipts } from '../src/offline/evm/findReceipts.ts'
import { type ChainDescription, createReceiptDecoder } from '../src/ops/evm/decodeReceipts.ts'
import { defiPlazaPool } from '../src/venues/evm/swapOnlyNamedVenues.ts'
import type { EvmVenue } from '../src/venues/evm/venue.ts'
import { evmVenues } from '../src/venues/evm/venues.ts'
import { poolsByTransfers } from '../src/venues/solana/poolsByTransfers.ts'
import { solanaVenues } from '../src/venues/solana/venues.ts'
import { proofs } from './coverageProofs.ts'

const fixtures = resolve(import.meta.dirname, '../../../test/fixtures')
export const coveragePath = resolve(import.meta.dirname, '../../../docs/reference/coverage.md')

/** Contracts of these trade on the local chain; what is stored is held against their own views. */
const executed: ReadonlySet<string> = new Set([
  'uniswapV2',
  'solidly',
  'uniswapV3',
  'uniswapV4',
  'pancakeV3',
  'balancerV2',
  'balancerV3',
  'algebra',
  'launchPad',
])

/** Samples have no transfers, which these are read with. */
const readWithTransfers: ReadonlySet<string> = new Set(['makerPsm', 'mStable'])

const samples = { seed: 1, numRuns: 100 }
const anyEmitter = `0x${'0a'.repeat(20)}`
/** Venues of one contract. */
const emitters: Readonly<Record<string, string>> = { defiPlaza: defiPlazaPool }
const txHash = `0x${'01'.repeat(32)}`
const ref = { number: 1, hash: txHash, parentNumber: 0, parentHash: txHash, timeS: 1 }

type PoolPresets = Readonly<
  Record<
    string,
    {
      factories?: readonly { venue: string; amm: string }[]
      launch_platforms?: readonly { amm: string }[]
    }
  >
>

/** Events that a venue's decoders made of arguments over all of their ranges. */
function sampledEvents(venue: EvmVenue): { events: DecodedEvent[]; isWhole: boolean } {
  const emitter = emitters[venue.name] ?? anyEmitter
  const managers = new Map(venue.isManaged ? [[emitter, venue.name]] : [])
  const described = Object.values({ ...eventAbi, ...venueAbi })
    .map((text) => parseAbiItem(text) as AbiEvent)
    .filter((event) => toEventSelector(event) in venue.events)
  const events = described.flatMap((event) =>
    fc.sample(eventArb(event), samples).flatMap((args) => {
      const logs = [encodeLog(event, args, { address: emitter, transactionHash: txHash })]
      return decodeEvmBlock({ ref, logs, senders: new Map() }, { managers }).events
    }),
  )
  const isWhole = new Set(described.map(toEventSelector)).size === Object.keys(venue.events).length
  return { events: [...events, ...plainEvents(venue)], isWhole }
}

/** Of logs without a topic: any bytes, as long as swaps are. */
function plainEvents({ name, plainLogs = {} }: EvmVenue): readonly DecodedEvent[] {
  const bytes = fc.sample(fc.uint8Array({ minLength: 116, maxLength: 116 }), samples)
  return Object.keys(plainLogs).flatMap((address) => {
    const logs = bytes.map((one, logIndex) => {
      const data = `0x${Buffer.from(one).toString('hex')}`
      return { address, topics: [], data, logIndex, transactionHash: txHash }
    })
    const managers = new Map([[address, name]])
    return decodeEvmBlock({ ref, logs, senders: new Map() }, { managers }).events
  })
}

const isSwap = ({ type }: DecodedEvent) => type === 'swap'
const isLiquidity = (event: DecodedEvent) =>
  event.type === 'flow' || (event.type === 'liquidity' && event.kind !== 'create')
const isCreation = ({ type }: DecodedEvent) => type === 'pool' || type === 'launch'
/** Of its own: not the ratio of what the swap moved. */
const hasPrice = (event: DecodedEvent) =>
  event.type === 'swap' &&
  event.priceRaw !== null &&
  event.priceRaw !== Math.abs(Number(event.amount1) / Number(event.amount0))
const hasReserves = (event: DecodedEvent) => 'reserve0' in event && event.reserve0 !== null

function priceOf(venue: EvmVenue, events: readonly DecodedEvent[]): string {
  if (venue.priceAfter) return 'computed'
  if (events.some(hasPrice)) return 'in its events'
  if (events.some(hasReserves)) return 'ratio of reserves'
  const isTraded = events.some(isSwap) || readWithTransfers.has(venue.name)
  return isTraded ? 'what was paid' : ''
}

const reservesByKind: Readonly<Record<PoolKind, string>> = {
  constantProduct: 'in its events',
  concentrated: 'token balances',
  vault: 'sum of its events',
  curve: 'in its events',
}

/** Some curves tell their trades alone; of a platform without curves the pools are others'. */
function reservesOf(kind: PoolKind, events: readonly DecodedEvent[]): string {
  return kind === 'curve' && !events.some(hasReserves) ? '' : reservesByKind[kind]
}

function countedBy<item>(items: Iterable<item>, keyOf: (item: item) => string) {
  const counts = new Map<string, number>()
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1)
  return counts
}

/** Swaps of real transactions among the fixtures, by venue. */
function realEvmSwaps(): ReadonlyMap<string, number> {
  const receiptsOf = (path: string): unknown =>
    JSON.parse(readFileSync(resolve(fixtures, path), 'utf8'))
  const names = readdirSync(resolve(fixtures, 'evmReceipts'))
  const sources = [
    ...names.map((name) => ({
      chain: name.split('-')[0]!,
      value: receiptsOf(`evmReceipts/${name}`),
    })),
    ...['uniswapSwaps.json', 'pancakeV3.json'].flatMap((name) =>
      (receiptsOf(name) as { chain: string }[]).map((value) => ({ chain: value.chain, value })),
    ),
  ]
  const lines = sources.flatMap(({ chain, value }) =>
    createReceiptDecoder((presets[chain] ?? null) as ChainDescription | null).describe(
      findReceipts(value) ?? [],
    ),
  )
  return countedBy(lines, ({ venue }) => venue)
}

function chainsOf(venue: string): string {
  const chains = Object.entries(presets as PoolPresets).flatMap(([chain, preset]) => {
    const { factories = [], launch_platforms: platforms = [] } = preset
    // Launch platforms are known by their events alone; a preset gives their curves the venue's own
    // word.
    const curves = platforms.filter(({ amm }) => amm === venue.toLowerCase())
    const pools = factories.filter((one) => one.venue === venue)
    const amms = new Set([...pools, ...curves].map(({ amm }) => amm))
    return amms.size === 0 ? [] : `${chain} (${[...amms].join(', ')})`
  })
  return chains.join('; ') || 'by config'
}

const yes = (isTrue: boolean) => (isTrue ? 'yes' : '')

function testedOf(isWhole: boolean, realCount: number, isExecuted: boolean): string {
  const ways = [
    isWhole ? 'vectors' : 'some vectors',
    ...(realCount > 0 ? [`${realCount} real`] : []),
    ...(isExecuted ? ['executed'] : []),
  ]
  return ways.join(', ')
}

function evmRows(): string[][] {
  const real = realEvmSwaps()
  return evmVenues.map((venue) => {
    const { events, isWhole } = sampledEvents(venue)
    const { name, kind } = venue
    return [
      `\`${name}\``,
      ...[
        yes(events.some(isSwap) || readWithTransfers.has(name)),
        yes(events.some(isLiquidity)),
        yes(events.some(isCreation)),
      ],
      yes(venue.identity !== undefined),
      ...[priceOf(venue, events), reservesOf(kind, events)],
      testedOf(isWhole, real.get(name) ?? 0, executed.has(name)),
      chainsOf(name),
    ]
  })
}

function solanaRows(): string[][] {
  const real = countedBy(Object.values(recordedSwaps()).flat(), ([venue]) => venue)
  const seen = new Map<string, DecodedEvent[]>()
  for (const transaction of recordedTransactions().values())
    for (const event of decodeSolanaTransactions([transaction]))
      for (const venue of ('venues' in event && event.venues) || [])
        seen.set(venue, [...(seen.get(venue) ?? []), event])
  return solanaVenues.map((venue) => {
    const { name } = venue
    const events = seen.get(name) ?? []
    const isByTransfers = poolsByTransfers.includes(venue)
    const count = real.get(name) ?? 0
    return [
      `\`${name}\``,
      isByTransfers ? 'token transfers' : 'its instructions',
      yes(events.some(hasReserves)),
      count > 0 ? `vectors, ${count} real` : 'vectors',
    ]
  })
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n')
}

/** Finality as a preset writes it: by the node's tag, by blocks or by seconds. */
function finalityText(finality: unknown): string {
  if (finality === undefined || finality === 'finalized') return 'finalized block of the node'
  return typeof finality === 'number' ? `${finality} blocks` : String(finality)
}

function chainRows(): string[][] {
  return Object.entries(presets).map(([name, { chain_id: id, block_ms: blockMs, ...preset }]) => [
    `\`${name}\``,
    String(id ?? ''),
    typeof blockMs === 'number' ? `${blockMs / 1_000} s` : '',
    finalityText(preset.finality),
    String(preset.checked),
  ])
}

const evmHeads = [
  ...['venue', 'swap', 'liquidity', 'creation', 'discovered late', 'price after a swap'],
  ...['reserves', 'tested', 'chains with a preset'],
]

export function coverageDocs(): string {
  return `# Coverage

Which events of which venue are decoded. This page is generated (\`npm run generate\`): the script runs the decoders on
events of all their kinds, with arguments over the whole range of their types, and on the real transactions among the tests'
fixtures; the tables show the results. An empty cell means: not decoded.

- **discovered late**: a pool created before the first indexed block is asked what it is, and its factory whether that is
  true.
- **price after a swap**: reported by the pool's own event, computed from its numbers as the venue does, the ratio of its
  reserves, or, if nothing else is known, what was paid.
- **tested**: *vectors* are events encoded by viem and compared argument by argument; *real* counts swaps of real
  transactions, compared with the token transfers in them; *executed*: the venue's own contracts trade on the local chain, and
  the stored data is compared with their views.

## Chains with a preset

Block time and finality come from the preset. The date is the last comparison of these and of the preset's addresses with
the chain's own documentation and deployment lists; no node was asked.

${table(['chain', 'id', 'block time', 'finality', 'checked'], chainRows())}

## EVM chains

${table(evmHeads, evmRows())}

A chain without a preset can use any of these venues: name the factory, vault or manager and its venue in the config.

Venues without late discovery and creation are read by \`chaintape decode\` and \`chaintape doctor --url\`: these print their
swaps, but no pair is created. Not decoded, and why:

- HookSwap of hooks of Uniswap V4: the deployer of a hook can write anything into it, and the manager's own Swap reports what
  its pool accounted. If a hook trades by itself, that is nothing, and no swap is reported.
- CoinBuy and CoinSell of Zora's first coins: they repeat what the coin's pool of Uniswap V3 reports.
- Launches of Doppler: its Airlock names the hook of an auction's pool, not the pool. Trades before the migration are ordinary
  swaps of Uniswap V4.
- Pendle's markets, which trade a yield until a date, not a token for a token.
- Buy and Sell of nad.fun's second version: the order of their arguments is not published.
- Curves of Pons and Bags launched before the first indexed block: their trades name neither token nor factory. Graduations of
  Pons: the event names no curve; the pool of Uniswap V4 is read like any other.
- The first price of a curve, if its launch does not report it and only the platform's contract or account knows it. The price
  of a token of four.meme, Pons, Bags and of flap before version 4.7 starts with its first trade, and so does that of
  LaunchLab's linear curves, of Moonshot's linear and flat ones and, unless the transaction of the launch creates their
  configuration, of Meteora's.
- Launch platforms seen on Robinhood Chain without a published list of events: Pools.trade, Bottom.fun and Long.xyz, whose
  pools of Uniswap V4 are read; Flap's Pool Launch Portal, which puts tokens into a pool at once; the first versions of Pons,
  whose pools of Uniswap V3 are read, and of Bags. The factory of Bags' third version is not in the preset because its address
  is not published; its launches are read if a config names it. Stock tokens there are not quotes of the preset: Robinhood
  publishes their addresses only in its registry on the chain.
- Trades with makers who sign prices (RFQ of 1inch, 0x, Hashflow, Bebop, Native, PancakeSwap's MMPool, which moves tokens to and
  from a maker's treasury): they have no pool. Events of aggregators (1inch, 0x, OKX, KyberSwap, Odos, ParaSwap, LI.FI, CoW,
  UniswapX): they repeat what pools report.

## Solana

Read live from JSON-RPC nodes (docs/inside/solana.md), and by \`chaintape decode --chain solana\` from files.

${table(['venue', 'read from', 'reserves', 'tested'], solanaRows())}

Forms of October 2026 (pump.fun v3, PumpSwap v2, routes, sweeps) are read by the layouts that pump.fun publishes. Real ones
among the tests: a v2 sale of PumpSwap (AcrDzvio...) and the PostCompleteBuyEvent of a completing buy (3hYp997p...). No real
route or sweep was found.

Venues that are derived from token transfers and have no real swap among the tests use account indexes from public sources:
interfaces that the programs publish, adapters of their makers, and decoders that name the instruction and its accounts. Of
these venues only the named instructions are read.

Programs seen in 80 blocks of mainnet of September 2026, by transactions:

| program | venue | transactions | read |
| --- | --- | --- | --- |
| \`QuaNtZsgYRe5Z9Bk4LZ4cTD9tbkVoyCNf1R2BN9bBDv\` | \`quantum\` | 1,320 | tag 07 |
| \`Archer8kgiavM61GyusMzaaS2ft5sALtNsD1HxkUPMhy\` | \`archer\` | 391 | tag 0f |
| \`B72M6nyCLFgWiJtAN4naUTminMiTmyGcEqQHXwVeRdht\` | \`binaryFi\` | 189 | tag 08 |
| \`FW6zUqn4iKRaeopwwhwsquTY6ABWLLgjxtrC3VPnaWBf\` | \`whaleStreet\` | 94 | tag 2b04ed0b1ac91e62 |
| \`boop8hVGQGqehUK2iVEMEnMrL5RbjywRzHKBmBE7ry4\` | boop.fun | some | no: its curves take the native coin, which no token transfer shows |

\`unclaimed\` of \`GET /v2/status\` and of \`chaintape doctor --url\` lists further programs of a chain, and \`venues\` of its config
adds them ([Solana](../inside/solana.md)).

Swaps that are not decoded, and why:

- Curve hops of a PumpSwap route without their TradeEvent: the route counts as malformed, and its other hops are read.
- \`two_hop_swap\` of Fusion, which names two pools; conditional markets of MetaDAO, of which only \`spot_swap\` is read.
- Orders that makers sign (JupiterZ) have no pool, and events of routers (Jupiter, OKX, DFlow, Titan and others) repeat
  what pools report.
- Transactions whose node omitted the addresses of lookup tables: the pool may be among them.

## Proofs

The real transaction that each behavior was checked against, and the test. *By its values*: the event was encoded again from
the published values of the transaction, whose pool id is the hash of the pool's key.

${table(['behavior', 'real transaction', 'test'], proofs)}
`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(coveragePath, coverageDocs())
