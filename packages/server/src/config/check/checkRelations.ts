import { chainKindOf } from '../../kinds/chainKinds.ts'
import type { ConfigProblem } from '../../kinds/configProblem.ts'
import { isAddressRange } from '../../lib/addressRange.ts'
import { databaseServersOf, databaseServersProblem } from '../../lib/databaseServers.ts'
import type { Config } from '../schema/schema.ts'
import { nearestWord } from './checkShape.ts'

// Deploying the local chain's contracts and tokens takes about 40 blocks, its history one every two
// seconds.
const devnetSetupBlocks = 64
const devnetHistoryStepS = 2

/**
 * Checks that no single field can make: limits that contradict each other, impossible addresses.
 */
export function checkRelations(
  config: Config,
  isSound: (path: string) => boolean = () => true,
): ConfigProblem[] {
  const problems: ConfigProblem[] = []
  const { chains } = config
  if (isSound('server')) problems.push(...checkServer(config))
  if (isSound('limits')) problems.push(...checkLimits(config))
  if (isSound('role') && isSound('nats')) problems.push(...checkRole(config))
  if (isSound('database_url') && isSound('database_read_url'))
    problems.push(...checkDatabase(config))
  const isLocal = isSound('chains') && Object.keys(chains).length === 0
  if (isLocal && isSound('server') && isSound('devnet')) problems.push(...checkDevnet(config))
  const sound = isRecord(chains)
    ? Object.keys(chains).filter((name) => isSound(`chains.${name}`))
    : []
  for (const name of sound)
    problems.push(
      ...chainKindOf(chains[name]!).check(`chains.${name}`, chains[name]!),
      ...checkPriceSource(name, chains),
      ...checkHistory(`chains.${name}.history.from`, chains[name]!.history.from),
    )
  return problems
}

const isRecord = (value: unknown) => typeof value === 'object' && value !== null

function checkServer({ server }: Config): ConfigProblem[] {
  const problems: ConfigProblem[] = []
  const apart = [server.port, server.metrics_port, server.admin_port]
  for (const [at, name] of ['metrics_port', 'admin_port'].entries()) {
    const port = apart[at + 1]
    if (port !== undefined && port !== 0 && apart.indexOf(port) !== at + 1)
      problems.push({
        path: `server.${name}`,
        message: `is already used by another port (${port})`,
      })
  }
  for (const [i, range] of server.trusted_proxies.entries())
    if (!isAddressRange(range))
      problems.push({
        path: `server.trusted_proxies[${i}]`,
        message: `${range.slice(0, 80)} is not an IP address or CIDR range (example: 10.0.0.0/8)`,
      })
  return problems
}

/** A separate role needs the stores that it shares with the other roles. */
function checkRole({ role, database_url: databaseUrl, chains, nats }: Config): ConfigProblem[] {
  const problems: ConfigProblem[] = []
  const needs = (path: string, why: string) =>
    problems.push({ path, message: `is needed for role ${role}: ${why}` })
  if (role !== 'all' && databaseUrl === undefined)
    needs('database_url', 'all processes of a service share one database')
  if (role !== 'all' && isRecord(chains) && Object.keys(chains).length === 0)
    needs('chains', 'the local chain belongs to one process')
  if (nats.urls.length > 0 && databaseUrl === undefined && role === 'all')
    problems.push({ path: 'nats.urls', message: 'requires database_url' })
  if (nats.password !== undefined && nats.user === undefined)
    problems.push({ path: 'nats.password', message: 'requires nats.user' })
  if ((nats.cert_file === undefined) !== (nats.key_file === undefined))
    problems.push({ path: 'nats.cert_file', message: 'requires nats.key_file, and vice versa' })
  return problems
}

function checkDatabase({ database_url: url, database_read_url: readUrl }: Config): ConfigProblem[] {
  const message = url === undefined ? null : databaseServersProblem(url)
  const problems = message === null ? [] : [{ path: 'database_url', message }]
  const path = 'database_read_url'
  if (readUrl !== undefined && url === undefined)
    problems.push({ path, message: 'requires database_url, the primary of this replica' })
  if (readUrl !== undefined && databaseServersOf(readUrl).length > 1)
    problems.push({
      path,
      message: 'names several servers, and each has its own lag: give each gateway one of them',
    })
  return problems
}

function checkLimits({ limits }: Config): ConfigProblem[] {
  if (limits.resolve_ms_max <= limits.rpc_ms_max) return []
  const message = `must not be over limits.rpc_ms_max (${limits.rpc_ms_max})`
  return [{ path: 'limits.resolve_ms_max', message }]
}

function checkDevnet({ server, devnet }: Config): ConfigProblem[] {
  const problems: ConfigProblem[] = []
  if (server.port !== 0 && server.port === devnet.port)
    problems.push({
      path: 'devnet.port',
      message: `is already used by server.port (${server.port})`,
    })
  const blocksMin = devnetSetupBlocks + Math.ceil(devnet.history_s / devnetHistoryStepS)
  if (devnet.blocks_max < blocksMin)
    problems.push({
      path: 'devnet.blocks_max',
      message: `must be at least ${blocksMin}: the setup mines that many before the chain is used`,
    })
  return problems
}

function checkHistory(path: string, from: number | string | undefined): ConfigProblem[] {
  const isTime = typeof from === 'string' && !from.endsWith('d')
  if (!isTime || !Number.isNaN(Date.parse(from))) return []
  return [{ path, message: `${from} is not a valid time` }]
}

/**
 * The price of a native coin must come from another configured chain, and in the end from pools.
 */
function checkPriceSource(name: string, chains: Config['chains']): ConfigProblem[] {
  const path = `chains.${name}.native_usd_from`
  const route = [name]
  for (;;) {
    const source = chains[route.at(-1)!]?.native_usd_from
    if (source === undefined) return []
    if (chains[source] === undefined) {
      // Reported at the chain that is named.
      if (route.length > 1) return []
      const known = nearestWord(source, Object.keys(chains))
      const hint = known === null ? '' : `; did you mean ${known}?`
      return [{ path, message: `${source} is not a chain of this config${hint}` }]
    }
    if (source === name) return [{ path, message: `is circular: ${[...route, name].join(', ')}` }]
    // Each chain of the circle reports the error itself.
    if (route.includes(source)) return []
    route.push(source)
  }
}
