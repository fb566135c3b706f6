import { existsSync, writeFileSync } from 'node:fs'
import type { Command } from 'commander'
import { findChain, suggestChain } from '../../config/findChain.ts'
import { loadConfig } from '../../config/load.ts'
import { presets } from '../../config/presets.ts'
import { type StarterEndpoint, starterConfig } from '../../config/starterConfig.ts'
import { commandLogger } from '../commandLogger.ts'
import { jsonOption } from '../configOptions.ts'
import type { CliContext } from '../context.ts'
import { ConfigExistsError, DoctorFailedError, InitChainError } from '../errors.ts'
import { printLines, printResult } from '../terminal/output.ts'
import { countFindings, findingsLines } from './doctor.ts'

const outDefault = 'chaintape.yaml'
// The file contains URLs with keys.
const ownerOnly = 0o600

type Chains = Map<string, StarterEndpoint[]>

export function fillInit(command: Command, context: CliContext): void {
  command
    .option(
      '--chain <name=url>',
      'a chain with a preset and the URL of its node; repeat it for more chains, more nodes, ' +
        'or the wss:// URL of the node before',
      (value: string, earlier: readonly string[]) => [...earlier, value],
      [],
    )
    .option('--out <file>', 'the file to create', outDefault)
    .option('--yes', 'ask nothing')
    .option(...jsonOption)
    .action(async ({ chain: given, out: file, yes, json }) => {
      if (existsSync(file)) throw new ConfigExistsError(file)
      const chains: Chains = new Map()
      for (const text of given as readonly string[]) addGiven(chains, text)
      if (chains.size === 0 && context.ask !== null && yes !== true && json !== true)
        await askChains(chains, context, context.ask)
      if (chains.size === 0) throw new InitChainError('No chain is given.')
      writeFileSync(file, starterConfig(chains), { flag: 'wx', mode: ownerOnly })
      await checkAndReport(file, [...chains.keys()], context, json === true)
    })
}

/** Runs `doctor` on the new file and prints what to do next. */
async function checkAndReport(
  file: string,
  chains: readonly string[],
  context: CliContext,
  isJson: boolean,
): Promise<void> {
  const { config } = loadConfig({ file, env: context.env })
  const logger = commandLogger(config, context)
  if (!isJson) printLines(context.stdout, [`Wrote ${file}. Checking it:`, ''])
  const findings = await context.app.runDoctor({
    config,
    logger,
    nowMs: () => context.nowMs(),
  })
  const counts = countFindings(findings)
  const program = 'npx --no-install chaintape'
  const next =
    counts.fail === 0
      ? ['Start it with:', `  ${program} start --config ${file}`]
      : [`Edit ${file}, then check it with:`, `  ${program} doctor --config ${file}`]
  printResult(context, {
    isJson,
    json: { file, chains, ...counts, findings },
    lines: () => [...findingsLines(findings), '', ...next],
  })
  if (counts.fail > 0) throw new DoctorFailedError(counts.fail)
}

/** Adds a `--chain`. Errors name the chain only: the URL may contain a key. */
function addGiven(chains: Chains, text: string): void {
  const at = text.indexOf('=')
  if (at < 0) throw new InitChainError('A chain is given as name=url.')
  const name = presetNamed(text.slice(0, at))
  const url = text.slice(at + 1)
  const endpoints = chains.get(name) ?? []
  const last = endpoints.at(-1)
  if (isUrl(url, httpUrl)) endpoints.push({ httpUrl: url, wsUrl: null })
  else if (isUrl(url, wsUrl) && last?.wsUrl === null) last.wsUrl = url
  else
    throw new InitChainError(
      `The URL of ${name} must start with https:// or http://; a wss:// or ws:// URL follows it.`,
    )
  chains.set(name, endpoints)
}

async function askChains(
  chains: Chains,
  context: CliContext,
  ask: NonNullable<CliContext['ask']>,
): Promise<void> {
  const names = await askUntil(context, ask, `Chains (${presetNames}): `, (answer) => [
    ...new Set(
      answer
        .split(/[\s,]+/)
        .filter(Boolean)
        .map(presetNamed),
    ),
  ])
  for (const name of names) {
    const rpc = await askUntil(context, ask, `HTTP URL of a node of ${name}: `, (answer) =>
      checkUrl(answer, httpUrl, 'It must start with https:// or http://.'),
    )
    const ws = await askUntil(context, ask, 'Its WebSocket URL (Enter for none): ', (answer) =>
      answer === '' ? null : checkUrl(answer, wsUrl, 'It must start with wss:// or ws://.'),
    )
    chains.set(name, [{ httpUrl: rpc, wsUrl: ws }])
  }
}

/** Repeats a question until `parse` accepts the answer. */
async function askUntil<T>(
  { stdout }: CliContext,
  ask: NonNullable<CliContext['ask']>,
  question: string,
  parse: (answer: string) => T,
): Promise<T> {
  for (;;) {
    const answer = await ask(question)
    try {
      return parse(answer.trim())
    } catch (error) {
      if (!(error instanceof InitChainError)) throw error
      printLines(stdout, [error.shortMessage, ...error.meta])
    }
  }
}

const presetNames = Object.keys(presets).join(', ')

/** Returns the preset's name for a name, an alias or a chain id. */
function presetNamed(text: string): string {
  const found = findChain(text)
  if (found !== null) return found.name
  const near = suggestChain(text)
  throw new InitChainError(`No chain with a preset is called ${text || 'so'}.`, [
    ...(near === null ? [] : [`Did you mean ${near}?`]),
    `Presets: ${presetNames}`,
  ])
}

const httpUrl = /^https?:$/
const wsUrl = /^wss?:$/

const isUrl = (text: string, protocol: RegExp) =>
  URL.canParse(text) && protocol.test(new URL(text).protocol)

function checkUrl(text: string, protocol: RegExp, problem: string): string {
  if (isUrl(text, protocol)) return text
  throw new InitChainError(problem)
}
