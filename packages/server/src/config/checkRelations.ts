import { chainKindOf } from '../kinds/chainKinds.ts'
import type { ConfigProblem } from '../kinds/configProblem.ts'
import { isAddressRange } from '../lib/addressRange.ts'
import { nearest } from './nearest.ts'
import type { Config } from './schema.ts'

// The local chain's contracts and tokens take about 40 blocks, its history one every two seconds.
const devnetSetupBlocks = 64
const devnetHistoryStepS = 2

/** What no single field can say: limits that contradict each other, addresses that cannot be right. */
export function checkRelations(config: Config): ConfigProblem[] {
  const problems: ConfigProblem[] = []
  const { server, devnet, limits, chains } = config
  const usesDevnet = Object.keys(chains).length === 0
  if (usesDevnet && server.port !== 0 && server.port === devnet.port)
    problems.push({ path: 'devnet.port', message: `is server.port too (${server.port})` })
  const apart = [server.port, server.metrics_port, server.admin_port]
  for (const [at, name] of ['metrics_port', 'admin_port'].entries()) {
    const port = apart[at + 1]
    if (port !== undefined && port !== 0 && apart.indexOf(port) !== at + 1)
      problems.push({ path: `server.${name}`, message: `is another port too (${port})` })
  }
  for (const [i, range] of server.trusted_proxies.entries())
    if (!isAddressRange(range))
      problems.push({
        path: `server.trusted_proxies[${i}]`,
        message: `${range.slice(0, 80)} is no address and no range of them, as 10.0.0.0/8`,
      })
  if (limits.resolve_ms_max > limits.rpc_ms_max)
    problems.push({
      path: 'limits.resolve_ms_max',
      message: `must not be over limits.rpc_ms_max (${limits.rpc_ms_max})`,
    })
  const blocksMin = devnetSetupBlocks + Math.ceil(devnet.history_s / devnetHistoryStepS)
  if (usesDevnet && devnet.blocks_max < blocksMin)
    problems.push({
      path: 'devnet.blocks_max',
      message: `must be at least ${blocksMin}: so many are mined before the chain is used`,
    })
  for (const [name, chain] of Object.entries(chains))
    problems.push(
      ...chainKindOf(chain).check(`chains.${name}`, chain),
      ...checkPriceSource(name, chains),
      ...checkHistory(`chains.${name}.history.from`, chain.history.from),
    )
  return problems
}

function checkHistory(path: string, from: number | string | undefined): ConfigProblem[] {
  const isTime = typeof from === 'string' && !from.endsWith('d')
  if (!isTime || !Number.isNaN(Date.parse(from))) return []
  return [{ path, message: `${from} is no time` }]
}

/** The price of a coin comes from a chain that is there, and in the end from pools. */
function checkPriceSource(name: string, chains: Config['chains']): ConfigProblem[] {
  const path = `chains.${name}.native_usd_from`
  const route = [name]
  for (;;) {
    const source = chains[route.at(-1)!]?.native_usd_from
    if (source === undefined) return []
    if (chains[source] === undefined) {
      // Told where it is named.
      if (route.length > 1) return []
      const known = nearest(source, Object.keys(chains))
      const hint = known === null ? '' : `; did you mean ${known}?`
      return [{ path, message: `${source} is no chain of this config${hint}` }]
    }
    if (source === name)
      return [{ path, message: `goes in a circle: ${[...route, name].join(', ')}` }]
    // A circle further on is told by those in it.
    if (route.includes(source)) return []
    route.push(source)
  }
}
