import { type Command, InvalidArgumentError } from 'commander'
import { assumedLoad, type ChainLoad, scaledTo } from '../../sizing/chainLoads.ts'
import { type ChainGroup, type Plan, planFor } from '../../sizing/plan.ts'
import { jsonOption } from '../configOptions.ts'
import type { CliContext } from '../context.ts'
import { printResult, table } from '../terminal/output.ts'

const chainsMax = 1_000

export function fillSize(command: Command, context: CliContext): void {
  const amount = (flags: string, meaning: string, fallback?: number) =>
    command.option(flags, meaning, parseAmount, fallback)
  command.requiredOption(
    '--chains <names>',
    'chains, as eth,bsc,solana; other:20 stands for 20 more',
    parseChains,
  )
  amount('--swaps <number>', 'trades a second of all chains, in place of what is assumed')
  amount('--sockets <number>', 'WebSockets that are open at once', 1_000)
  amount('--pushes <number>', 'pushes a second to one socket', 0.5)
  amount('--subscriptions <number>', 'subscriptions of one socket', 10)
  amount('--requests <number>', 'REST requests a second', 100)
  amount('--days <number>', 'days that swaps are kept', 30)
  amount('--memory <GB>', 'memory of one machine', 64)
  command.option(...jsonOption).action((options) => {
    const assumed = options.chains as ReturnType<typeof parseChains>
    const plan = planFor({
      chains: options.swaps === undefined ? assumed : scaledTo(assumed, options.swaps),
      sockets: options.sockets,
      pushesPerSocketS: options.pushes,
      subscriptionsPerSocket: options.subscriptions,
      requestsPerS: options.requests,
      swapsDays: options.days,
      machine: { memoryBytes: options.memory * 1e9 },
    })
    const unknown = assumed.filter(({ isKnown }) => !isKnown).length
    printResult(context, {
      isJson: options.json === true,
      json: { ...plan, unknown_chains: unknown },
      lines: () => linesOf(plan, unknown),
    })
  })
}

function parseAmount(text: string): number {
  const amount = Number(text)
  if (text.trim() !== '' && Number.isFinite(amount) && amount > 0 && amount <= 1e9) return amount
  throw new InvalidArgumentError('It is a number over 0, at most 1000000000.')
}

/** `eth,other:20` is eth and 20 chains of the size that is assumed of any other. */
function parseChains(text: string): (ChainLoad & { isKnown: boolean })[] {
  const chains = text.split(',').flatMap((item) => {
    const match = /^([a-z][a-z0-9_-]*)(?::(\d{1,4}))?$/.exec(item.trim())
    if (match === null) throw new InvalidArgumentError(`${item || 'An empty name'} is no chain.`)
    const [, name, times] = match as unknown as [string, string, string | undefined]
    if (times === undefined) return [assumedLoad(name)]
    return Array.from({ length: Number(times) }, (_, i) => ({
      ...assumedLoad(name),
      name: `${name}${i + 1}`,
    }))
  })
  if (chains.length > 0 && chains.length <= chainsMax) return chains
  throw new InvalidArgumentError(`There are 1 to ${chainsMax} chains.`)
}

function linesOf(plan: Plan, unknown: number): string[] {
  const { databases, nats, gateways, indexers } = plan
  const groups = (name: string, all: readonly ChainGroup[]) => all.map((group) => row(name, group))
  const isOne = gateways.length === 0
  return [
    `${rounded(plan.swapsPerS)} trades/s need:`,
    '',
    ...table([
      ['what', 'how many', 'of a thread', 'memory', 'chains'],
      ...groups(isOne ? 'service (one process)' : 'indexer', indexers),
      ...groups('gateway', gateways),
    ]),
    '',
    `PostgreSQL: ${databases.count}, together ${bytesText(databases.storedBytes)} after a year (${bytesText(databases.bytesPerDay)} a day come in), ${rounded(databases.cores)} cores`,
    nats === null
      ? 'NATS: none'
      : `NATS: ${nats.servers} servers, ${bytesText(nats.bytesPerS)}/s to all readers`,
    `Nodes: ${rounded(plan.nodeCallsPerS)} requests/s`,
    '',
    'Nearest to its bound:',
    ...plan.strains
      .slice(0, 3)
      .map(({ what, share, advice }) => `  ${Math.round(share * 100)} %  ${what}. ${advice}`),
    ...(unknown === 0 ? [] : ['', `Of ${unknown} chains nothing is known: taken for small ones.`]),
  ]
}

function row(what: string, { count, loopShare, memoryBytes, chains }: ChainGroup): string[] {
  const named =
    chains.length > 6
      ? `${chains.slice(0, 5).join(',')} and ${chains.length - 5} more`
      : chains.join(',')
  return [what, String(count), `${Math.round(loopShare * 100)} %`, bytesText(memoryBytes), named]
}

const rounded = (value: number) => Number(value.toPrecision(2)).toLocaleString('en-US')

function bytesText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']
  const power = Math.min(Math.max(Math.floor(Math.log10(bytes) / 3), 0), units.length - 1)
  return `${rounded(bytes / 1_000 ** power)} ${units[power]}`
}
