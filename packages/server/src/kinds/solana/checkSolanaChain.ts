import { base58Ids } from '@chaintape/protocol'
import { programVenues } from '../../venues/solana/programVenues.ts'
import { type ConfigAddress, type ConfigProblem, findDuplicates } from '../configProblem.ts'
import type { SolanaChainConfig } from './solanaChainSchema.ts'

/** Checks a chain's config for malformed addresses and for repeated addresses and endpoints. */
export function checkSolanaChain(path: string, chain: SolanaChainConfig): ConfigProblem[] {
  const lists = addressLists(path, chain)
  const problems = lists.flat().flatMap(({ path: at, address }) => {
    if (base58Ids.token(address) !== null) return []
    return { path: at, message: `${address.slice(0, 80)} is not an address` }
  })
  for (const list of lists) problems.push(...findDuplicates(list, (address) => address))
  problems.push(...checkVenues(`${path}.venues`, chain.venues))
  const urls = chain.rpc.map(({ http_url: address }, i) => ({
    path: `${path}.rpc[${i}].http_url`,
    address,
  }))
  if (chain.commitment === 'processed' && chain.grpc.length === 0)
    problems.push({
      path: `${path}.commitment`,
      message:
        'processed blocks come from gRPC streams only, getBlock does not return them: add grpc, or use confirmed',
    })
  return [...problems, ...findDuplicates(urls, (url) => url.toLowerCase())]
}

/** Rejects added venues whose program or name is already known. */
function checkVenues(path: string, venues: SolanaChainConfig['venues']): ConfigProblem[] {
  const names = venues.map(({ program, name = program }, i) => {
    return { path: `${path}[${i}].name`, address: name }
  })
  const problems = venues.flatMap(({ program, name }, i) => {
    const known = programVenues[program]
    const found: ConfigProblem[] = []
    if (known !== undefined)
      found.push({
        path: `${path}[${i}].program`,
        message: `${program} is already the venue ${known}: remove it from venues`,
      })
    if (name !== undefined && Object.values(programVenues).includes(name))
      found.push({
        path: `${path}[${i}].name`,
        message: `${name} is the name of a known venue: choose another name, for example ${name}2`,
      })
    return found
  })
  return [...problems, ...findDuplicates(names, (name) => name)]
}

/** Lists of addresses that must differ within each list. */
function addressLists(path: string, chain: SolanaChainConfig): ConfigAddress[][] {
  const at = (key: string, list: readonly string[]) =>
    list.map((address, i) => ({ path: `${path}.${key}[${i}]`, address }))
  const within = (key: string, list: readonly { address: string }[]) =>
    list.map(({ address }, i) => ({ path: `${path}.${key}[${i}].address`, address }))
  const wrapped = { path: `${path}.native.wrapped_token`, address: chain.native.wrapped_token }
  return [
    [wrapped, ...at('stables', chain.stables)],
    at('quotes', chain.quotes),
    [
      ...within('programs', chain.programs),
      ...within('launch_platforms', chain.launch_platforms),
      ...chain.venues.map(({ program: address }, i) => {
        return { path: `${path}.venues[${i}].program`, address }
      }),
    ],
    at('shared_owners', chain.shared_owners),
    // A holder counts once: as burnt, locked or out of circulation.
    [
      ...at('burn_addresses', chain.burn_addresses),
      ...at('lockers', chain.lockers),
      ...at('out_of_circulation', chain.out_of_circulation),
    ],
  ]
}
