import { isAddress } from 'viem'
import { isAddressRange } from '../lib/addressRange.ts'
import type { ChainConfig } from './chainSchema.ts'
import type { ConfigProblem } from './errors.ts'
import { nearest } from './nearest.ts'
import type { Config } from './schema.ts'

// The local chain's contracts and tokens take about 40 blocks, its history one every two seconds.
const devnetSetupBlocks = 64
const devnetHistoryStepS = 2

const zeroAddress = /^0x0{40}$/

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
  if (limits.backfill_batch_blocks_max > limits.queue_blocks_max)
    problems.push({
      path: 'limits.backfill_batch_blocks_max',
      message: `must not be over limits.queue_blocks_max (${limits.queue_blocks_max})`,
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
    problems.push(...checkChain(`chains.${name}`, chain), ...checkPriceSource(name, chains))
  return problems
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

function checkChain(path: string, chain: ChainConfig): ConfigProblem[] {
  const problems: ConfigProblem[] = []
  const lists = addressLists(path, chain)
  for (const list of lists) for (const at of list) checkAddress(at, problems)
  for (const list of lists) checkDuplicates(list, problems)
  if (!zeroAddress.test(chain.burn_addresses[0] ?? ''))
    problems.push({
      path: `${path}.burn_addresses[0]`,
      message: 'must be the zero address: transfers from it are mints',
    })
  const urls = chain.rpc.map(({ http_url }, i) => ({
    path: `${path}.rpc[${i}].http_url`,
    address: http_url,
  }))
  checkDuplicates(urls, problems)
  return problems
}

type AddressAt = { path: string; address: string }

/** Addresses that must differ from one another, list by list. */
function addressLists(path: string, chain: ChainConfig): AddressAt[][] {
  const of = (key: 'stables' | 'quotes' | 'burn_addresses' | 'lockers' | 'out_of_circulation') =>
    chain[key].map((address, i) => ({ path: `${path}.${key}[${i}]`, address }))
  const factories = chain.factories.map(({ address }, i) => ({
    path: `${path}.factories[${i}].address`,
    address,
  }))
  const platforms = chain.launch_platforms.map(({ address }, i) => ({
    path: `${path}.launch_platforms[${i}].address`,
    address,
  }))
  const wrapped = { path: `${path}.native.wrapped_token`, address: chain.native.wrapped_token }
  return [
    [wrapped, ...of('stables')],
    of('quotes'),
    [...factories, ...platforms],
    // A holder counts once: as burnt, locked or out of circulation.
    [...of('burn_addresses'), ...of('lockers'), ...of('out_of_circulation')],
    [{ path: `${path}.multicall3`, address: chain.multicall3 }],
  ]
}

function checkAddress({ path, address }: AddressAt, problems: ConfigProblem[]): void {
  if (isAddress(address)) return
  const isOnlyChecksum = isAddress(address, { strict: false })
  const reason = isOnlyChecksum ? 'has a wrong checksum: a digit may be mistyped' : 'is no address'
  problems.push({ path, message: `${address.slice(0, 80)} ${reason}` })
}

function checkDuplicates(list: readonly AddressAt[], problems: ConfigProblem[]): void {
  const first = new Map<string, string>()
  for (const { path, address } of list) {
    const key = address.toLowerCase()
    const earlier = first.get(key)
    if (earlier === undefined) first.set(key, path)
    else problems.push({ path, message: `is the same as ${earlier}` })
  }
}
