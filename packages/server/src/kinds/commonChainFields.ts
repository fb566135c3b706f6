import type { RpcEndpointOptions } from '../chain/rpc/rpcCall.ts'
import { type Schema, type Static, Type } from '../lib/schema.ts'

const plausibilitySchema = Type.Object(
  {
    jump_factor_max: Type.Integer({
      description: 'Largest factor by which a reserve or price of a pool may change at once.',
      default: 100,
      minimum: 2,
      maximum: 1_000_000_000,
    }),
    amount_bits_max: Type.Integer({
      description: 'Largest size of an amount or reserve, in bits.',
      default: 128,
      minimum: 16,
      maximum: 256,
    }),
    disagreement_ppm_max: Type.Integer({
      description:
        'Largest difference between reported reserves and those computed from the trade and its transfers, in millionths.',
      default: 50_000,
      minimum: 0,
      maximum: 1_000_000,
    }),
  },
  {
    description:
      'A block that exceeds one of these limits is compared with its receipts or another endpoint first. If neither can verify it, it is marked as doubtful.',
    default: {},
  },
)

export const sinceBlockField = Type.Optional(
  Type.Integer({ description: 'Block in which the contract was created.', minimum: 0 }),
)

const launchPlatformSchema = Type.Object({
  address: addressField('Contract that creates the tokens.'),
  platform: Type.String({
    description: 'Name of the platform in answers and tags.',
    pattern: '^[a-z0-9_]{1,32}$',
    form: 'up to 32 lowercase letters, digits and underscores',
  }),
  amm: Type.String({
    description: 'Name of its bonding curves in `amm` of answers.',
    pattern: '^[a-z0-9_]{1,32}$',
    form: 'up to 32 lowercase letters, digits and underscores',
  }),
  since_block: sinceBlockField,
})

/**
 * Schema of a chain's native coin. `wrapped`: schema of its wrapped token, which some families make
 * optional.
 */
export function nativeField<wrapped extends Schema | { optional: Schema }>(wrapped: wrapped) {
  return Type.Object(
    {
      symbol: Type.String({
        description: 'Symbol of the native coin.',
        minLength: 1,
        maxLength: 32,
      }),
      decimals: Type.Integer({
        description: 'Number of decimals of the native coin.',
        default: 18,
        minimum: 0,
        maximum: 36,
      }),
      wrapped_token: wrapped,
    },
    { description: 'The coin that pays transaction fees.' },
  )
}

const historySchema = Type.Object(
  {
    from: Type.Optional(
      Type.Union(
        [
          Type.Integer({ minimum: 0 }),
          Type.String({
            pattern: '^(\\d{1,4}d|\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}(:\\d{2})?Z)?)$',
            form: 'days, as 30d, or a date, as 2026-01-31',
          }),
        ],
        {
          description:
            'Where history begins: a block, a UTC time (2026-01-31, 2026-01-31T12:00Z) or a number of days back (30d). Chaintape follows the chain from `start_block` at once and backfills older blocks meanwhile.',
        },
      ),
    ),
    rate_percent: Type.Integer({
      description:
        'Calls that backfill may send to each endpoint, in percent of what indexing may send; they are in addition to those of indexing.',
      default: 50,
      minimum: 1,
      maximum: 100,
    }),
  },
  { description: 'Backfill of old blocks while the chain follows the head.', default: {} },
)

/** Upper bound of finality depth and of blocks held in memory for reverts. */
const blocksHeldMax = 10_000

/** Schema of a duration of 1 s to 15 minutes, the time of 9,000 blocks of 0.1 s. */
const secondsField = Type.String({
  pattern: '^([1-9]\\d?|[1-8]\\d\\d|900)s$',
  form: 'seconds from 1s to 900s (example: 60s)',
})

/**
 * Config fields common to all families of chains. A field without a default comes from the chain's
 * preset or from the file.
 */
export const commonChainFields = {
  start_block: Type.Union([Type.Literal('latest'), Type.Integer({ minimum: 0 })], {
    description: 'First block to index if the database has none yet.',
    default: 'latest',
  }),
  history: historySchema,
  audit_rate_percent: Type.Integer({
    description:
      'Calls that the audit may send to each endpoint, in percent of its rate; they count against the calls that API requests cause. 0: no audit.',
    default: 5,
    minimum: 0,
    maximum: 100,
  }),
  // Each check takes about twenty calls to a node.
  risk_checks_per_min: Type.Integer({
    description:
      'Contracts of trending and new tokens to check per minute without a request, so that lists mark honeypots. 0: none.',
    default: 6,
    minimum: 0,
    maximum: 600,
  }),
  finality: Type.Union(
    [Type.Literal('finalized'), secondsField, Type.Integer({ minimum: 1, maximum: blocksHeldMax })],
    {
      description:
        "Which blocks are final, that is, never reverted: up to the node's finalized block (`finalized`), blocks of that age by block time and at least 5 deep (`60s`), or blocks this deep (a number). Blocks 10,000 deep are always final. If no node reports a finalized block, `reorg_depth_max` applies.",
      default: 'finalized',
    },
  ),
  reorg_depth_max: Type.Union(
    [secondsField, Type.Integer({ minimum: 1, maximum: blocksHeldMax })],
    {
      description:
        'Blocks kept in memory so that they can be reverted at once, as a number or as time: at least 128 blocks, else the time divided by `block_ms` (0.2 s if unknown). A deeper reorg that ends above `finality` is reverted in the database, and the market is loaded again.',
      default: '60s',
    },
  ),
  header_ahead_s_max: Type.Integer({
    description:
      "How far the time of a block may be ahead of the clock if only one endpoint reports it. Beyond that, another endpoint or the block's hash must confirm it. 0: no limit.",
    default: 900,
    minimum: 0,
    maximum: 315_360_000,
  }),
  plausibility: plausibilitySchema,
  native: nativeField(addressField('The token that wraps the native coin.')),
  stables: addressesField('Tokens worth 1 USD by definition.'),
  quotes: addressesField(
    'Quote assets, most preferred first. Stables and the wrapped coin come before them unless listed here.',
  ),
  launch_platforms: Type.Array(launchPlatformSchema, {
    description: 'Platforms that launch tokens on bonding curves.',
    default: [],
    maxItems: 256,
  }),
  lockers: addressesField('Holders counted as locked.'),
  out_of_circulation: addressesField('Holders counted as out of circulation for other reasons.'),
  logo_url: Type.Optional(
    Type.String({
      description:
        'URL of token logos with `{address}` in place of the token, for `logo_url` in answers. Chaintape does not check that a logo exists. Empty: no `logo_url`.',
      pattern: '^(https?://[^\\s"\\\\]*\\{address\\}[^\\s"\\\\]*)?$',
      form: 'a URL with {address} in it, or nothing',
      maxLength: 512,
    }),
  ),
  native_usd_from: Type.Optional(
    Type.String({
      description:
        'Another configured chain with the same native coin. Its price is used while no pool of this chain prices the coin.',
      pattern: '^[a-z][a-z0-9_]{0,31}$',
      form: 'up to 32 lowercase letters, digits and underscores, starting with a letter',
    }),
  ),
  native_pool_usd_min: Type.Number({
    description: 'Minimum USD value of a pool that may price the native coin.',
    default: 10_000,
    minimum: 0,
  }),
}

const commonSchema = Type.Object(commonChainFields)

type CommonFields = Static<typeof commonSchema>

/** Config of a chain of any family. */
export type CommonChainConfig = { kind: string } & Omit<CommonFields, 'native'> & {
    native: Omit<CommonFields['native'], 'wrapped_token'> & { wrapped_token?: string | undefined }
  }

export function addressField(description: string, value?: string) {
  const options = { description, address: true }
  return Type.String(value === undefined ? options : { ...options, default: value })
}

export function addressesField(description: string, value: readonly string[] = []) {
  return Type.Array(Type.String({ address: true }), {
    description,
    default: [...value],
    maxItems: 4_096,
  })
}

const rpcSchema = Type.Object({
  http_url: Type.String({
    description: 'JSON-RPC URL. A key in its path or query is never printed.',
    pattern: '^https?://[^/]',
    form: 'http:// or https:// address',
    secret: 'url',
  }),
  ws_url: Type.Optional(
    Type.String({
      description: 'WebSocket URL of the same node, for new heads. Without it heads are polled.',
      pattern: '^wss?://[^/]',
      form: 'ws:// or wss:// address',
      secret: 'url',
    }),
  ),
  requests_per_second_max: Type.Integer({
    description:
      'Calls or requests per second (see `rate_counts`) that indexing may send to this endpoint. API requests that need a node may send as many again.',
    default: 50,
    minimum: 1,
    maximum: 100_000,
  }),
  rate_counts: Type.Enum(['calls', 'requests'], {
    description:
      'What the provider counts. calls: each call of a batch; requests: a batch counts as one.',
    default: 'calls',
  }),
})

/** Schema of a chain's JSON-RPC endpoints. */
export const rpcField = Type.Array(rpcSchema, {
  description:
    'Endpoints, most preferred first. The others take over if one fails or has used up its calls of the second.',
  minItems: 1,
  maxItems: 16,
})

export function endpointOptionsOf(rpc: Static<typeof rpcSchema>): RpcEndpointOptions {
  return {
    httpUrl: rpc.http_url,
    wsUrl: rpc.ws_url,
    requestsPerSecondMax: rpc.requests_per_second_max,
    rateCounts: rpc.rate_counts,
  }
}

/** Returns node URLs with their paths in the chain's config. */
export function nodeUrlsOf({
  rpc,
}: {
  rpc: readonly Static<typeof rpcSchema>[]
}): { path: string; url: string }[] {
  return rpc.flatMap(({ http_url, ws_url }, i) => [
    { path: `rpc[${i}].http_url`, url: http_url },
    ...(ws_url === undefined ? [] : [{ path: `rpc[${i}].ws_url`, url: ws_url }]),
  ])
}

/** Returns the chain's setup with this share of its endpoints' request rates. */
export function withRequestRate<setup extends { endpoints: readonly RpcEndpointOptions[] }>(
  setup: setup,
  ratePercent: number,
): setup {
  const endpoints = setup.endpoints.map(({ requestsPerSecondMax: rate, ...endpoint }) => ({
    ...endpoint,
    requestsPerSecondMax: rate && Math.max(1, Math.floor((rate * ratePercent) / 100)),
  }))
  return { ...setup, endpoints }
}
