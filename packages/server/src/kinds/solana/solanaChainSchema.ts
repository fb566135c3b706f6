import { base58Ids } from '@chaintape/protocol'
import { type Static, Type } from '../../lib/schema.ts'
import { programVenueNames, programVenues } from '../../venues/solana/programVenues.ts'
import { addressesField, addressField, commonChainFields, rpcField } from '../commonChainFields.ts'
import { type ConfigAddress, type ConfigProblem, findDuplicates } from '../configProblem.ts'

const programSchema = Type.Object({
  address: addressField('Program of the DEX.'),
  venue: Type.Enum([...programVenueNames], {
    description: 'Venue whose instructions and events the program has.',
  }),
  amm: Type.String({
    description: 'Name of the DEX in `amm` of answers.',
    pattern: '^[a-z0-9_]{1,32}$',
    form: 'up to 32 lowercase letters, digits and underscores',
  }),
})

const place = (description: string) =>
  Type.Integer({ description: `${description}, counted from 0.`, minimum: 0, maximum: 255 })

const venueSchema = Type.Object({
  program: addressField('Program of a DEX that docs/reference/coverage.md does not list.'),
  pool: place("Index of the pool among an instruction's accounts"),
  user: place("Index of the trader among an instruction's accounts"),
  name: Type.Optional(
    Type.String({
      description:
        'Name of the venue, as `chaintape decode` prints it. Default: the program address.',
      pattern: '^[a-z][A-Za-z0-9]{0,31}$',
      form: 'up to 32 letters and digits, starting with a lowercase letter',
    }),
  ),
  amm: Type.Optional(
    Type.String({
      description: 'Name of the DEX in `amm` of answers. If set, its pools are trusted.',
      pattern: '^[a-z0-9_]{1,32}$',
      form: 'up to 32 lowercase letters, digits and underscores',
    }),
  ),
})

const grpcSchema = Type.Object({
  url: Type.String({
    description: 'URL of the gRPC service. A key in its path or query is never printed.',
    pattern: '^https?://[^/]',
    form: 'http:// or https:// address',
    secret: 'url',
  }),
  token: Type.Optional(
    Type.String({
      description: 'Token sent as x-token with the subscription.',
      secret: 'value',
      maxLength: 4_096,
    }),
  ),
})

/**
 * Schema of the URL template of an IPFS or Arweave gateway. Clients receive image URLs built from
 * it. Its host may be private.
 */
const gateway = (description: string) =>
  Type.String({
    description: `${description} Clients receive it in image URLs, so it must not contain a key. Default: such addresses are skipped.`,
    pattern: '^https?://[^/\\s"\\\\@?#]+/[^\\s"\\\\?#]*\\{path\\}[^\\s"\\\\?#]*$',
    form: 'a URL with {path} in it, without user, password and query',
    secret: 'url',
    maxLength: 512,
  })

/** Config of a Solana chain, read through JSON-RPC nodes and optional gRPC streams. */
export const solanaChainSchema = Type.Object({
  kind: Type.Literal('solana', { description: 'Family of the chain.' }),
  rpc: rpcField,
  grpc: Type.Array(grpcSchema, {
    description:
      'Yellowstone gRPC nodes that stream blocks as they reach the commitment. Missing blocks are requested from `rpc`.',
    default: [],
    maxItems: 4,
  }),
  genesis_hash: Type.Optional(
    Type.String({
      description:
        'Expected answer of getGenesisHash. An endpoint of another network is rejected before anything is stored. Without it no endpoint is rejected.',
      pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$',
      form: 'hash in base58',
    }),
  ),
  commitment: Type.Enum(['processed', 'confirmed', 'finalized'], {
    description:
      'Which blocks to read. processed: as soon as a `grpc` node has executed them (requires `grpc`); reverted if the chain abandons them. confirmed: as soon as most of the stake has voted for them. finalized: once they are final; never reverted. With Alpenglow confirmed blocks are final.',
    default: 'confirmed',
  }),
  poll_ms: Type.Integer({
    description: 'Polling interval for the newest slot.',
    default: 200,
    minimum: 10,
    maximum: 60_000,
  }),
  parallel_blocks_max: Type.Integer({
    description: 'Blocks requested at the same time; each is some megabytes.',
    default: 6,
    minimum: 1,
    maximum: 64,
  }),
  programs: Type.Array(programSchema, {
    description: 'DEXes whose pools are trusted.',
    default: [],
    maxItems: 256,
  }),
  venues: Type.Array(venueSchema, {
    description:
      'Further DEXes, whose swaps are derived from the tokens that move between the trader and the pool; see docs/inside/solana.md.',
    default: [],
    maxItems: 256,
  }),
  shared_owners: addressesField(
    'Program addresses that own the vaults of many pools. Each vault counts as a separate holder.',
  ),
  holders_from_nodes: Type.Boolean({
    description:
      'Ask nodes for the holders of tokens created before the first indexed block (getProgramAccounts). Many providers refuse this call, and some charge for it.',
    default: true,
  }),
  uri_json: Type.Boolean({
    description:
      'Fetch the JSON behind the uri of displayed tokens, for `logo_url`. The creator of a token chooses its uri, so third-party hosts see these requests. Chaintape never contacts non-public addresses.',
    default: false,
  }),
  ipfs_gateway: Type.Optional(
    gateway('Gateway for IPFS uris and images: a URL with `{path}` in it.'),
  ),
  arweave_gateway: Type.Optional(
    gateway('Gateway for Arweave uris and images: a URL with `{path}` in it.'),
  ),
  burn_addresses: addressesField('Holders counted as burnt.', [
    '11111111111111111111111111111111',
    '1nc1nerator11111111111111111111111111111111',
  ]),
  ...commonChainFields,
})

export type SolanaChainConfig = Static<typeof solanaChainSchema>

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
