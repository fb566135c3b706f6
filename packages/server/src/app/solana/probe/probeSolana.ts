import { solanaAnswerLimits } from '../../../chain/solana/answerLimits.ts'
import { presets } from '../../../config/presets.ts'
import type { Config } from '../../../config/schema/schema.ts'
import { describeSwaps } from '../../../decode/solana/offline/describeSwaps.ts'
import { findTransactions } from '../../../decode/solana/offline/findTransactions.ts'
import { UnclaimedCalls } from '../../../decode/solana/unclaimedCalls.ts'
import type { SwapLine } from '../../../model/swapLine.ts'
import type { UnclaimedProgram } from '../../../model/unclaimed.ts'
import { type ConfiguredVenue, venuesWith } from '../../../venues/solana/configuredVenues.ts'
import { type AskedNode, askNode } from '../../doctor/askNode.ts'

export type SolanaProbeReport = {
  node: { genesis_hash: string; version: string | null; head_slot: number }
  /** The chain with this genesis hash. Null: no preset and no config has it. */
  chain: { name: string } | null
  sample: {
    from_slot: number
    to_slot: number
    /** Slots with a block among them. */
    blocks: number
    swaps: number
    /** Swaps by venue, most first. */
    venues: Record<string, number>
    examples: SwapLine[]
    unclaimed: { calls: number; share: number; by: readonly UnclaimedProgram[] }
  }
}

type SolanaProbeOptions = {
  url: URL
  /** Newest blocks that are decoded. */
  blocks: number
  chains?: Config['chains'] | undefined
}

type SolanaTerms = { kind?: string; genesis_hash?: string; venues?: readonly ConfiguredVenue[] }

const timeoutMs = 20_000
const examplesMax = 5
// Slots are skipped: so many more than blocks are listed.
const slotsBeside = 32
const blockConfig = {
  encoding: 'json',
  transactionDetails: 'full',
  rewards: false,
  maxSupportedTransactionVersion: 1,
}

/** Facts about a Solana node and its newest blocks. Null: it does not answer as one. */
export async function probeSolana(options: SolanaProbeOptions): Promise<SolanaProbeReport | null> {
  const node = askNode(options.url, { timeoutMs, limits: solanaAnswerLimits })
  try {
    const genesis = await node.ask('getGenesisHash').catch(() => null)
    const head = await node.ask('getSlot', [{ commitment: 'confirmed' }]).catch(() => null)
    if (typeof genesis !== 'string' || !Number.isSafeInteger(head)) return null
    return await report(node, genesis, Number(head), options)
  } finally {
    node.close()
  }
}

async function report(
  node: AskedNode,
  genesis: string,
  head: number,
  { blocks, chains }: SolanaProbeOptions,
): Promise<SolanaProbeReport> {
  const known = Object.entries({ ...presets, ...chains } as Record<string, SolanaTerms>).find(
    ([, { kind, genesis_hash: hash }]) => kind === 'solana' && hash === genesis,
  )
  const version = (await node.ask('getVersion').catch(() => null)) as Record<string, unknown> | null
  const text = version?.['solana-core']
  return {
    node: {
      genesis_hash: node.hide(genesis).slice(0, 64),
      version: typeof text === 'string' ? node.hide(text).slice(0, 64) : null,
      head_slot: head,
    },
    chain: known === undefined ? null : { name: known[0] },
    sample: await sampleOf(node, head, blocks, known?.[1].venues),
  }
}

async function sampleOf(
  node: AskedNode,
  head: number,
  blocks: number,
  configured: readonly ConfiguredVenue[] | undefined,
): Promise<SolanaProbeReport['sample']> {
  const from = Math.max(0, head - blocks - slotsBeside)
  const answer = await node.ask('getBlocks', [from, head, { commitment: 'confirmed' }])
  const slots = (Array.isArray(answer) ? answer : []).filter(Number.isSafeInteger).slice(-blocks)
  const venues = venuesWith(configured)
  const unclaimed = new UnclaimedCalls()
  const counts = new Map<string, number>()
  const examples: SwapLine[] = []
  let swaps = 0
  for (const slot of slots) {
    const block = await node.ask('getBlock', [slot, { ...blockConfig, commitment: 'confirmed' }])
    const lines = (findTransactions(block) ?? []).flatMap((group) =>
      describeSwaps(group, venues, () => undefined, unclaimed),
    )
    for (const line of lines) {
      swaps++
      counts.set(line.venue, (counts.get(line.venue) ?? 0) + 1)
      if (examples.length < examplesMax) examples.push(line)
    }
  }
  return {
    from_slot: slots[0] ?? head,
    to_slot: slots.at(-1) ?? head,
    blocks: slots.length,
    swaps,
    venues: Object.fromEntries([...counts].sort(([, one], [, other]) => other - one)),
    examples,
    unclaimed: { ...unclaimed.total(), by: unclaimed.programs() },
  }
}
