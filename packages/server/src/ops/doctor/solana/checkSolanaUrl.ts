import { solanaAnswerLimits } from '../../../chain/solana/solanaRpc.ts'
import { presets } from '../../../config/presets.ts'
import { UnclaimedCalls } from '../../../decode/solana/unclaimedCalls.ts'
import type { UnclaimedProgram } from '../../../model/unclaimed.ts'
import { describeSwaps } from '../../../offline/solana/describeSwaps.ts'
import { findTransactions } from '../../../offline/solana/findTransactions.ts'
import { type ConfiguredVenue, venuesWith } from '../../../venues/solana/venues.ts'
import { type DoctorNode, openDoctorNode } from '../doctorNode.ts'
import {
  type CheckUrlOptions,
  type DoctorFinding,
  findingsOf,
  percentText,
  type SwapSample,
  swapSampleOf,
  swapsText,
  type UrlReport,
} from '../finding.ts'
import { checkSolanaNodes, getBlockConfig } from './checkSolanaNodes.ts'

export type SolanaSample = SwapSample & {
  from_slot: number
  to_slot: number
  /** Number of slots that have a block. */
  blocks: number
  unclaimed: { calls: number; share: number; by: readonly UnclaimedProgram[] }
}

type SolanaTerms = { kind?: string; genesis_hash?: string; venues?: readonly ConfiguredVenue[] }

// Blocks of mainnet are several megabytes.
const timeoutMs = 20_000
// Extra slots to list, since some slots have no block.
const skippedSlotsMax = 32

/**
 * Runs the doctor's Solana checks on a node that no config names. Null: the address does not answer
 * like a Solana node.
 */
export async function checkSolanaUrl(
  options: CheckUrlOptions,
): Promise<UrlReport<SolanaSample> | null> {
  const { url, blocks, config } = options
  const node = openDoctorNode(url, { timeoutMs, limits: solanaAnswerLimits })
  try {
    const genesis = await node.ask('getGenesisHash').catch(() => null)
    if (typeof genesis !== 'string') return null
    const chains: Record<string, SolanaTerms> = { ...presets, ...config.chains }
    const known = Object.entries(chains).find(
      ([, { kind, genesis_hash: hash }]) => kind === 'solana' && hash === genesis,
    )
    const name = known?.[0] ?? 'node'
    const setup = {
      profile: { name },
      endpoints: [{ httpUrl: url.href }],
      genesisHash: undefined,
      streams: [],
      commitment: 'confirmed' as const,
    }
    const findings = await checkSolanaNodes(setup, options)
    const sample = await sampleOf(node, blocks, known?.[1].venues).catch(() => null)
    return {
      findings: [...findings, ...sampleFindings(name, sample)],
      chain: known?.[0] ?? null,
      sample,
    }
  } finally {
    node.close()
  }
}

function sampleFindings(name: string, sample: SolanaSample | null): DoctorFinding[] {
  const { ok, warn } = findingsOf(name)
  if (sample === null)
    return [warn('decoded', 'Returns none of its newest blocks.', 'Use another node.')]
  const { from_slot: from, to_slot: to, blocks, unclaimed } = sample
  return [
    ok('decoded', `Slots ${from} to ${to}: ${blocks} blocks, ${swapsText(sample)}.`),
    ok(
      'unclaimed',
      `Swap-like calls that match no venue: ${unclaimed.calls}, ${percentText(unclaimed.share)} of all swap-like calls.`,
    ),
  ]
}

async function sampleOf(
  node: DoctorNode,
  blocks: number,
  configured: readonly ConfiguredVenue[] | undefined,
): Promise<SolanaSample> {
  const commitment = 'confirmed'
  const head = Number(await node.ask('getSlot', [{ commitment }]))
  const from = Math.max(0, head - blocks - skippedSlotsMax)
  const answer = await node.ask('getBlocks', [from, head, { commitment }])
  const slots = (Array.isArray(answer) ? answer : []).filter(Number.isSafeInteger).slice(-blocks)
  const venues = venuesWith(configured)
  const unclaimed = new UnclaimedCalls()
  const lines = []
  for (const slot of slots) {
    const block = await node.ask('getBlock', [slot, { ...getBlockConfig, commitment }])
    for (const group of findTransactions(block) ?? [])
      lines.push(...describeSwaps(group, venues, () => undefined, unclaimed))
  }
  return {
    from_slot: slots[0] ?? head,
    to_slot: slots.at(-1) ?? head,
    blocks: slots.length,
    ...swapSampleOf(lines),
    unclaimed: { ...unclaimed.total(), by: unclaimed.programs() },
  }
}
