import { type Command, InvalidArgumentError } from 'commander'
import type { ProbeReport } from '../../app/evm/probe/probe.ts'
import type { SolanaProbeReport } from '../../app/solana/probe/probeSolana.ts'
import { addConfigOptions, jsonOption, loadFromOptions } from '../configOptions.ts'
import type { CliContext } from '../context.ts'
import { printResult, table } from '../terminal/output.ts'

const blocksDefault = 5
const blocksMax = 1_000

export function fillProbe(command: Command, context: CliContext): void {
  command
    .argument('<url>', 'HTTP address of a node of an EVM chain or of Solana')
    .option('--blocks <number>', 'newest blocks to decode', parseBlocks, blocksDefault)
  addConfigOptions(command, [])
    .option(...jsonOption)
    .action(async (url: string, options) => {
      const { config } = loadFromOptions(options, context)
      const { blocks } = options
      const report = await context.app.probe({ url, blocks, chains: config.chains })
      printResult(context, {
        isJson: options.json === true,
        json: report,
        lines: () =>
          'genesis_hash' in report.node
            ? solanaLines(report as SolanaProbeReport)
            : linesOf(report as ProbeReport, context.nowMs() / 1_000),
      })
    })
}

function parseBlocks(text: string): number {
  const blocks = Number(text)
  if (Number.isInteger(blocks) && blocks >= 1 && blocks <= blocksMax) return blocks
  throw new InvalidArgumentError(`It is a whole number from 1 to ${blocksMax}.`)
}

function linesOf({ node, chain, sample }: ProbeReport, nowS: number): string[] {
  const yes = (isSo: boolean) => (isSo ? 'yes' : 'no')
  const { head, finalized_number: final } = node
  const facts = [
    [
      'chain',
      `${node.chain_id}${chain === null ? ', of which no preset knows' : ` (${chain.name})`}`,
    ],
    ['client', node.client ?? 'does not say'],
    ['newest block', `${head.number}, ${Math.max(0, Math.round(nowS - head.time_s))} s old`],
    ['final block', final === null ? 'does not say' : String(final)],
    ['receipts of a block', yes(node.receipts)],
    ['old state', yes(node.archive)],
    ['blocks of logs at once', String(node.log_range_blocks)],
    ['batches', yes(node.batches)],
    ['WebSocket', yes(node.websocket)],
    ['indexed DEXes', chain?.dexes.join(', ') || 'those of a config'],
    ['launch platforms', chain?.launch_platforms.join(', ') || 'none'],
  ]
  return [...table(facts), '', ...(sample === null ? ['It gives no logs.'] : sampleLines(sample))]
}

const percent = (share: number) => `${(share * 100).toFixed(1)} %`

function sampleLines(sample: NonNullable<ProbeReport['sample']>): string[] {
  const { unclaimed } = sample
  const venues = Object.entries(sample.venues).map(([venue, count]) => `${count} ${venue}`)
  return [
    `Blocks ${sample.from_block} to ${sample.to_block}: ${sample.logs} logs, ${sample.swaps} swaps`,
    ...(venues.length === 0 ? [] : [`  ${venues.join(', ')}`]),
    ...sample.examples.map((line) => `  ${JSON.stringify(line)}`),
    '',
    `Logs that look like swaps and that no venue reads: ${unclaimed.logs}, ${percent(unclaimed.share)} of all that do, in ${percent(unclaimed.share_of_transactions)} of transactions with trades`,
    ...unclaimed.by.map(({ topic0, contract, logs }) => `  ${logs}  ${topic0}  ${contract}`),
    ...(unclaimed.topics.length === 0
      ? []
      : ['', 'Events of known factories, managers and launch platforms that no venue reads:']),
    ...unclaimed.topics.map(({ topic, address, logs }) => `  ${logs}  ${topic}  ${address}`),
  ]
}

function solanaLines({ node, chain, sample }: SolanaProbeReport): string[] {
  const { unclaimed } = sample
  const venues = Object.entries(sample.venues).map(([venue, count]) => `${count} ${venue}`)
  return [
    ...table([
      ['chain', chain?.name ?? `${node.genesis_hash}, of which no preset knows`],
      ['client', node.version ?? 'does not say'],
      ['newest slot', String(node.head_slot)],
    ]),
    '',
    `Slots ${sample.from_slot} to ${sample.to_slot}: ${sample.blocks} blocks, ${sample.swaps} swaps`,
    ...(venues.length === 0 ? [] : [`  ${venues.join(', ')}`]),
    ...sample.examples.map((line) => `  ${JSON.stringify(line)}`),
    '',
    `Calls that look like swaps and that no venue reads: ${unclaimed.calls}, ${percent(unclaimed.share)} of all that do`,
    ...unclaimed.by.map(({ program, calls, share }) => `  ${calls}  ${percent(share)}  ${program}`),
  ]
}
