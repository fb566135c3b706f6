import type { RpcEndpointOptions } from '../chain/rpc/rpcCall.ts'
import { type Schema, type Static, Type } from '../lib/schema.ts'

const plausibilitySchema = Type.Object(
  {
    jump_factor_max: Type.Integer({
      description:
        'How many times larger or smaller a reserve or price of a pool may become at once.',
      default: 100,
      minimum: 2,
      maximum: 1_000_000_000,
    }),
    amount_bits_max: Type.Integer({
      description: 'Size of an amount or reserve, in bits.',
      default: 128,
      minimum: 16,
      maximum: 256,
    }),
    disagreement_ppm_max: Type.Integer({
      description:
        'How far reserves may be from what a trade and its transfers make of those before, in millionths.',
      default: 50_000,
      minimum: 0,
      maximum: 1_000_000,
    }),
  },
  {
    description:
      'A block over one of these is compared with its receipts or another endpoint before it is believed; where neither can tell, it is marked as doubtful.',
    default: {},
  },
)

export const sinceBlockField = Type.Optional(
  Type.Integer({ description: 'Block in which the contract was made.', minimum: 0 }),
)

const launchPlatformSchema = Type.Object({
  address: addressField('Contract that creates the tokens.'),
  platform: Type.String({
    description: 'Word of the platform in answers and tags.',
    pattern: '^[a-z0-9_]{1,32}$',
    form: 'up to 32 small letters, digits and underscores',
  }),
  amm: Type.String({
    description: 'Word of its bonding curves in answers.',
    pattern: '^[a-z0-9_]{1,32}$',
    form: 'up to 32 small letters, digits and underscores',
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
      symbol: Type.String({ description: 'Symbol of the coin.', minLength: 1, maxLength: 32 }),
      decimals: Type.Integer({
        description: 'Its decimals.',
        default: 18,
        minimum: 0,
        maximum: 36,
      }),
      wrapped_token: wrapped,
    },
    { description: 'The coin that pays for transactions.' },
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
            'Where history shall begin: a block, a time in UTC (2026-01-31, 2026-01-31T12:00Z) or so many days back (30d). The chain is followed from `start_block` on at once, and what is before that is read behind it.',
        },
      ),
    ),
    rate_percent: Type.Integer({
      description:
        'Calls that reading the past may send to each endpoint, as a share of what indexing may, beside that.',
      default: 50,
      minimum: 1,
      maximum: 100,
    }),
  },
  { description: 'What is read of the past while the head is followed.', default: {} },
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
    description: 'First block to index when the database has none yet.',
    default: 'latest',
  }),
  history: historySchema,
  audit_rate_percent: Type.Integer({
    description:
      'Calls that comparing samples of what is stored with the nodes may send to each endpoint, as a share of its rate; they count against the calls that API callers cause. 0: nothing is compared.',
    default: 5,
    minimum: 0,
    maximum: 100,
  }),
  // Each check takes about twenty calls to a node.
  risk_checks_per_min: Type.Integer({
    description:
      'Contracts of trending and new tokens that are checked in a minute though nobody asks, so that lists mark honeypots. 0: none.',
    default: 6,
    minimum: 0,
    maximum: 600,
  }),
  finality: Type.Union(
    [Type.Literal('finalized'), secondsField, Type.Integer({ minimum: 1, maximum: blocksHeldMax })],
    {
      description:
        "What is never reverted: up to the node's finalized block, or blocks so old by the time of blocks (at least 5 deep), or blocks this deep. 10,000 deep all is; where no node reports a finalized block, `reorg_depth_max` counts.",
      default: 'finalized',
    },
  ),
  reorg_depth_max: Type.Union(
    [secondsField, Type.Integer({ minimum: 1, maximum: blocksHeldMax })],
    {
      description:
        'Blocks held in memory to be reverted at once, or their time: at least 128 blocks, and as many as `block_ms` makes of it (0.2 s where it is not known). A deeper reorg that ends above `finality` is reverted in the database and the market loaded again.',
      default: '60s',
    },
  ),
  header_ahead_s_max: Type.Integer({
    description:
      "How far a block's time may be ahead of the clock on the word of one endpoint; over it another endpoint, or the block's hash, must say the same. 0: as far as it likes.",
    default: 900,
    minimum: 0,
    maximum: 315_360_000,
  }),
  plausibility: plausibilitySchema,
  native: nativeField(addressField('The token that wraps it.')),
  stables: addressesField('Tokens worth 1 USD by definition.'),
  quotes: addressesField(
    'Quote assets, most preferred first; stables and the wrapped coin come before them unless they are listed here.',
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
        'Where logos of tokens are, for `logo_url` in answers: a URL with `{address}` for the token. Nobody looks whether there is one. Empty: answers name none.',
      pattern: '^(https?://[^\\s"\\\\]*\\{address\\}[^\\s"\\\\]*)?$',
      form: 'a URL with {address} in it, or nothing',
      maxLength: 512,
    }),
  ),
  native_usd_from: Type.Optional(
    Type.String({
      description:
        'Another chain of this config with the same coin, whose price of it counts while no pool here has one.',
      pattern: '^[a-z][a-z0-9_]{0,31}$',
      form: 'up to 32 small letters, digits and underscores, a letter first',
    }),
  ),
  native_pool_usd_min: Type.Number({
    description: 'USD in a pool under which it does not price the native coin.',
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
    description: 'JSON-RPC address; a key in its path or query is not printed.',
    pattern: '^https?://[^/]',
    form: 'http:// or https:// address',
    secret: 'url',
  }),
  ws_url: Type.Optional(
    Type.String({
      description:
        'WebSocket address of the same node, for new heads; without it heads are polled.',
      pattern: '^wss?://[^/]',
      form: 'ws:// or wss:// address',
      secret: 'url',
    }),
  ),
  requests_per_second_max: Type.Integer({
    description:
      'Calls or requests a second (`rate_counts`) that indexing sends to this endpoint at most; what API callers ask of the nodes has the same again.',
    default: 50,
    minimum: 1,
    maximum: 100_000,
  }),
  rate_counts: Type.Enum(['calls', 'requests'], {
    description: 'What the provider counts. calls: each call of a batch; requests: a batch as one.',
    default: 'calls',
  }),
})

/** Schema of a chain's JSON-RPC endpoints. */
export const rpcField = Type.Array(rpcSchema, {
  description:
    'Endpoints, most preferred first; the others take over when it fails, and when it has had its calls of the second.',
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
