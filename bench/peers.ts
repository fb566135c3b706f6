// Indexing of the local chain's swaps with klines of all intervals into PostgreSQL: the service,
// which stores everything else it knows of them as well, against SQD and Ponder doing only this,
// and against a bare loop that only fetches. All use the same chain, node and machine, each with an
// empty database of the same kind, in turn.
import { intervals } from '../packages/protocol/src/intervals.ts'
import { runBackfill, runBareLoop } from './backfill.ts'
import { type BenchRow, type BenchTable, countText } from './benchTable.ts'
import type { PeerChain, PeerRound } from './peers/peerRound.ts'
import { installPonder, runPonder } from './peers/runPonder.ts'
import { installSqd, runSqd } from './peers/runSqd.ts'
import { type MarketNode, startMarketNode } from './startMarketNode.ts'

const sizes = { blocks: 19_200, rounds: 3 }
// The peers read only blocks that are final by their own count, and would wait for more blocks.
const unreadBlocks = 64

type Round = { bareMs: number; oursMs: number; sqd: PeerRound; ponder: PeerRound }

export async function runPeersBench({ blocks, rounds } = sizes): Promise<BenchTable> {
  const [ponderDir, sqdDir] = [installPonder(), installSqd()]
  const node = await startMarketNode()
  try {
    const head = await node.mine(blocks)
    const chain = { node, terms: termsOf(node, head - unreadBlocks) }
    // A first run warms the node up.
    await runBareLoop(node.rpcUrl, head)
    const done: Round[] = []
    for (let round = 0; round < rounds; round += 1)
      done.push(await runRound(chain, ponderDir, sqdDir))
    const swaps = swapsOf(done)
    const name = `peers: ${head} blocks, ${countText(swaps)} swaps, medians of ${rounds} rounds`
    return { name, rows: rowsOf(done, swaps) }
  } finally {
    node.stop()
  }
}

function termsOf({ rpcUrl, profile }: MarketNode, endBlock: number): PeerChain['terms'] {
  const factoryOf = (name: string) => profile.venues.find(({ venue }) => venue === name)!.address
  const [factoryV2, factoryV3] = [factoryOf('uniswapV2'), factoryOf('uniswapV3')]
  return { rpcUrl, factoryV2, factoryV3, endBlock, intervals: Object.values(intervals) }
}

async function runRound(chain: PeerChain, ponderDir: string, sqdDir: string): Promise<Round> {
  const { node, terms } = chain
  // The service and the bare loop read up to the head.
  const head = terms.endBlock + unreadBlocks
  const { ms: bareMs } = await runBareLoop(node.rpcUrl, head)
  const { ms: oursMs } = await runBackfill(node, head)
  const sqd = await runSqd(sqdDir, chain)
  const ponder = await runPonder(ponderDir, chain)
  return { bareMs, oursMs, sqd, ponder }
}

/** All contestants must have found the same number of swaps. */
function swapsOf(done: readonly Round[]): number {
  const found = done.flatMap(({ sqd, ponder }) => [sqd, ponder])
  const first = found[0]!
  if (!found.every(({ swaps, klines }) => swaps === first.swaps && klines === first.klines))
    throw new Error(`The peers disagree on what the chain has: ${JSON.stringify(found)}`)
  return first.swaps
}

function rowsOf(done: readonly Round[], swaps: number): BenchRow[] {
  const sorted = (of: (round: Round) => number) => done.map(of).sort((a, b) => a - b)
  const middle = Math.floor(done.length / 2)
  const perS = (msOf: (round: Round) => number) =>
    countText((swaps * 1_000) / sorted(msOf)[middle]!)
  const ratios = (ratioOf: (round: Round) => number) => {
    const all = sorted(ratioOf).map((ratio) => ratio.toFixed(2))
    return `${all[middle]} (${all[0]} to ${all.at(-1)})`
  }
  return [
    { metric: 'bare loop, swaps fetched/s', value: perS(({ bareMs }) => bareMs) },
    { metric: 'chaintape backfill, swaps/s', value: perS(({ oursMs }) => oursMs) },
    { metric: 'SQD, swaps/s', value: perS(({ sqd }) => sqd.ms) },
    { metric: 'Ponder, swaps/s', value: perS(({ ponder }) => ponder.ms) },
    { metric: 'against SQD', value: ratios(({ oursMs, sqd }) => sqd.ms / oursMs), goal: '2' },
    {
      metric: 'against Ponder',
      value: ratios(({ oursMs, ponder }) => ponder.ms / oursMs),
      goal: '4',
    },
    {
      metric: 'against the bare loop',
      value: ratios(({ oursMs, bareMs }) => bareMs / oursMs),
      goal: '0.75',
    },
  ]
}
