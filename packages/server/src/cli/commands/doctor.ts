import { type Command, InvalidArgumentError } from 'commander'
import type { NodeReport } from '../../ops/doctor/doctor.ts'
import type { DoctorFinding } from '../../ops/doctor/finding.ts'
import { commandLogger } from '../commandLogger.ts'
import { addConfigOptions, jsonOption, loadFromOptions, storeFlags } from '../configOptions.ts'
import type { CliContext } from '../context.ts'
import { DoctorFailedError } from '../errors.ts'
import { printResult } from '../terminal/output.ts'

const blocksDefault = 5
const blocksMax = 1_000

export function fillDoctor(command: Command, context: CliContext): void {
  addConfigOptions(command, storeFlags)
    .option('--url <url>', 'check only this node of an EVM chain or of Solana', parseUrl)
    .option('--blocks <number>', 'with --url: newest blocks to decode', parseBlocks, blocksDefault)
    .option(...jsonOption)
    .action(async ({ url, blocks, ...options }) => {
      const { config } = loadFromOptions(options, context)
      const terms = {
        config,
        logger: commandLogger(config, context),
        nowMs: () => context.nowMs(),
      }
      const { findings, ...report }: Report =
        url === undefined
          ? { findings: await context.app.runDoctor(terms) }
          : await context.app.checkUrl({ ...terms, url, blocks })
      const counts = countFindings(findings)
      printResult(context, {
        isJson: options.json === true,
        json: { ...counts, findings, ...report },
        lines: () => [
          ...findingsLines(findings),
          ...sampleLines(report.sample ?? null),
          '',
          `${counts.ok} ok, ${counts.warn} warn, ${counts.fail} fail`,
        ],
      })
      if (counts.fail > 0) throw new DoctorFailedError(counts.fail)
    })
}

type Report = Pick<NodeReport, 'findings'> & Partial<NodeReport>

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url !== null && /^https?:$/.test(url.protocol)) return url
  throw new InvalidArgumentError('It must be an HTTP address (example: https://node.example/key).')
}

function parseBlocks(text: string): number {
  const blocks = Number(text)
  if (Number.isInteger(blocks) && blocks >= 1 && blocks <= blocksMax) return blocks
  throw new InvalidArgumentError(`It is a whole number from 1 to ${blocksMax}.`)
}

/** The number of findings of each level. */
export function countFindings(findings: readonly DoctorFinding[]) {
  const counts = { ok: 0, warn: 0, fail: 0 }
  for (const { level } of findings) counts[level] += 1
  return counts
}

/** The findings of each subject, in order. */
export function findingsLines(findings: readonly DoctorFinding[]): string[] {
  const subjects = [...new Set(findings.map(({ subject }) => subject))]
  return subjects.flatMap((subject) => [
    subject,
    ...findings.filter((finding) => finding.subject === subject).flatMap(findingLines),
  ])
}

function findingLines({ level, check, text, advice }: DoctorFinding): string[] {
  return [
    `  ${level.padEnd(4)}  ${check}: ${text}`,
    ...(advice === null ? [] : [`        To do: ${advice}`]),
  ]
}

/**
 * Some decoded swaps, and input that no venue decodes: logs by topic and contract, calls by
 * program.
 */
function sampleLines(sample: NodeReport['sample']): string[] {
  if (sample === null) return []
  const { unclaimed } = sample
  const rows = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ['', title, ...lines.map((line) => `  ${line}`)]
  return [
    ...rows(
      'Swaps',
      sample.examples.map((line) => JSON.stringify(line)),
    ),
    ...rows(
      'Unclaimed',
      'calls' in unclaimed
        ? unclaimed.by.map(({ calls, program }) => `${calls}  ${program}`)
        : unclaimed.by.map(({ logs, topic0, contract }) => `${logs}  ${topic0}  ${contract}`),
    ),
    ...rows(
      'Events of configured factories, managers and launch platforms that match no venue',
      'topics' in unclaimed
        ? unclaimed.topics.map(({ logs, topic, address }) => `${logs}  ${topic}  ${address}`)
        : [],
    ),
  ]
}
