import type { Command } from 'commander'
import type { AuditFinding } from '../../audit/auditRequest.ts'
import { AuditDiffersError } from '../../audit/errors.ts'
import { onStopSignals } from '../../lib/shutdown.ts'
import type { AuditedChain } from '../../ops/auditData.ts'
import { commandLogger } from '../commandLogger.ts'
import {
  addConfigOptions,
  jsonOption,
  loadFromOptions,
  parseBlock,
  storeFlags,
} from '../configOptions.ts'
import type { CliContext } from '../context.ts'
import { NoChainsError } from '../errors.ts'
import { printLines, printResult } from '../terminal/output.ts'
import { createProgressLine } from '../terminal/progressLine.ts'

export function fillAudit(command: Command, context: CliContext): void {
  addConfigOptions(command, storeFlags)
    .option('--chain <name...>', 'only these chains')
    .option(
      '--from <block>',
      'first block to compare; by default the first stored block',
      parseBlock,
    )
    .option('--to <block>', 'last block to compare; by default the newest stored block', parseBlock)
    .option('--repair', 're-index chains in which a block differs')
    .option(...jsonOption)
    .action((options) => audit(options, context))
}

async function audit(options: Record<string, unknown>, context: CliContext): Promise<void> {
  const { config } = loadFromOptions(options, context)
  const names = Object.keys(config.chains)
  const wanted = (options.chain as string[] | undefined) ?? names
  const [from, to] = [options.from, options.to] as (number | undefined)[]
  const isRanged = from !== undefined || to !== undefined
  if (names.length === 0 || !wanted.every((name) => names.includes(name)))
    throw new NoChainsError(names, options.chain === undefined ? [] : wanted, { what: 'audit' })
  if (isRanged && wanted.length > 1)
    throw new NoChainsError(names, wanted, {
      what: 'audit',
      why: '--from and --to need exactly one chain',
    })
  const stop = new AbortController()
  const ignoreSignals = onStopSignals(context.signals, {
    onStop: (signal) => stop.abort(signal),
    exit: context.exit,
    nowMs: () => context.nowMs(),
  })
  const isJson = options.json === true
  const line = isJson ? null : createProgressLine(context.stderr, context.nowMs)
  try {
    const audited = await context.app.auditData(config, {
      from,
      to,
      chains: wanted,
      isRepair: options.repair === true,
      signal: stop.signal,
      logger: commandLogger(config, context, { isService: options.repair === true }),
      onProgress: (progress) => line?.update(progress),
      onFinding(chain, finding) {
        if (!isJson) printLines(context.stdout, [`${chain}: ${finding.msg}`])
      },
    })
    line?.end()
    const json = { chains: Object.fromEntries(audited.map((one) => [one.chain, jsonOf(one)])) }
    printResult(context, { isJson, json, lines: () => audited.flatMap(linesOf) })
    const count = audited.reduce((sum, { findingCount }) => sum + findingCount, 0)
    const isHandedOver = audited.some(({ repair }) => repair === 'service')
    if (count > 0) throw new AuditDiffersError({ count, isHandedOver })
  } finally {
    ignoreSignals()
  }
}

function jsonOf({ range, findings, doubtful, ...one }: AuditedChain) {
  return {
    from_block: range?.from ?? null,
    to_block: range?.to ?? null,
    blocks: one.blockCount,
    balances: one.holdingCount,
    doubtful_blocks: doubtful.count,
    doubtful_blocks_right: doubtful.rightCount,
    difference_count: one.findingCount,
    differences: findings.map(differenceJson),
    not_checked: one.notChecked,
    repair: one.repair,
  }
}

function differenceJson({ kind, block, msg }: AuditFinding) {
  return { kind, block: block?.number ?? null, msg }
}

const repairTexts = {
  done: 'The chain was re-indexed; these are the differences after that.',
  service: 'The running service re-indexes the chain in the background.',
  none: 'Nothing is re-indexed: the differences name no block.',
  stopped: 'Stopped; the same command or the service continues the re-indexing.',
}

function linesOf(one: AuditedChain): string[] {
  const { chain, range, blockCount, holdingCount, doubtful, findingCount, repair } = one
  const blocks = range === null ? 'no block' : `${blockCount} blocks, ${range.from} to ${range.to}`
  const doubts =
    doubtful.count === 0
      ? []
      : [
          `${doubtful.count} blocks are unverified; ${doubtful.rightCount} of them were confirmed now.`,
        ]
  return [
    `${chain}: compared ${blocks}, and ${holdingCount} balances: ${findingCount === 0 ? 'no difference' : `${findingCount} ${findingCount === 1 ? 'difference' : 'differences'}`}.`,
    ...[...doubts, ...one.notChecked.map((text) => `Not compared: ${text}`)].map(indented),
    ...(repair === null ? [] : [indented(repairTexts[repair])]),
  ]
}

function indented(text: string): string {
  return `  ${text}`
}
