import { chainKinds } from '../../kinds/chainKinds.ts'
import type { CommonChainConfig } from '../../kinds/commonChainFields.ts'
import { type Schema, type Static, Type } from '../../lib/schema.ts'
import type { InternalLimits } from '../internalLimits.ts'
import { limitsSchema, marketMemoryField, planSchema } from './limitsSchema.ts'
import { natsSchema } from './natsSchema.ts'

/**
 * One chain. Its `kind` selects the member with its fields. The member whose literal has a default
 * applies to chains without a kind. Only the kind itself reads its own fields.
 */
export const chainSchema = Type.Union(
  chainKinds.map(({ schema }) => schema),
) as Schema<CommonChainConfig>

const serverSchema = Type.Object(
  {
    host: Type.String({
      description: 'Address to listen on; 0.0.0.0 for all interfaces.',
      default: '127.0.0.1',
      minLength: 1,
      flag: 'host',
    }),
    port: Type.Integer({
      description: 'TCP port of REST and WebSocket; 0: a free port.',
      default: 8080,
      minimum: 0,
      maximum: 65_535,
      flag: 'port',
    }),
    metrics_port: apartPort('/metrics', 'metrics'),
    metrics_host: apartHost('/metrics'),
    admin_port: apartPort('the admin API', 'admin'),
    admin_host: apartHost('the admin API'),
    compression: Type.Boolean({
      description: 'Accept permessage-deflate if a WebSocket client offers it.',
      default: false,
    }),
    cors_origins: Type.Array(
      Type.String({
        pattern: '^(\\*|https?://[^/\\s]+)$',
        form: 'origin, as https://example.com, or *',
      }),
      {
        description:
          'Origins whose pages may call the service from a browser, as https://example.com. * allows all, an empty list none.',
        default: ['*'],
      },
    ),
    browser_keys: Type.Boolean({
      description:
        'Print a URL that opens the terminal without a key, if the service listens on loopback and has no proxy; see docs/guides/terminal.md. false: the terminal always asks for an API key.',
      default: true,
    }),
    trusted_proxies: Type.Array(Type.String(), {
      description:
        'Addresses and ranges, as 10.0.0.0/8, of your own proxies. Only their X-Forwarded-For and Forwarded headers are trusted.',
      default: [],
    }),
  },
  { description: 'HTTP server.', default: {} },
)

function apartPort(what: string, word: string) {
  return Type.Optional(
    Type.Integer({
      description: `Separate TCP port for ${what}, on server.${word}_host; server.port then does not serve it. 0: a free port.`,
      minimum: 0,
      maximum: 65_535,
    }),
  )
}

function apartHost(what: string) {
  return Type.String({
    description: `Address to listen on for ${what} if it has a separate port.`,
    default: '127.0.0.1',
    minLength: 1,
  })
}

const devnetSchema = Type.Object(
  {
    host: Type.String({
      description:
        'Address of its RPC. Its accounts are unlocked: everyone who can reach it can trade, mine and revert blocks.',
      default: '127.0.0.1',
      minLength: 1,
    }),
    port: Type.Integer({
      description: 'TCP port of the local chain; 0: a free port.',
      default: 8545,
      minimum: 0,
      maximum: 65_535,
      flag: 'devnet-port',
    }),
    seed: Type.Integer({
      description: 'Seed of the bots. The same seed makes the same trades.',
      default: 1,
      minimum: 0,
      maximum: 4_294_967_295,
    }),
    history_s: Type.Integer({
      description: 'Seconds of market history mined before the service is ready.',
      default: 1_800,
      minimum: 0,
      maximum: 86_400,
    }),
    block_ms: Type.Integer({
      description:
        'Time between two blocks of the local EVM chain after its history is mined. With 200, five blocks share each second.',
      default: 1_000,
      minimum: 100,
      maximum: 60_000,
    }),
    blocks_max: Type.Integer({
      description:
        'Number of blocks after which a fresh local chain replaces this one. Its memory grows with each block.',
      default: 20_000,
      minimum: 64,
      maximum: 1_000_000,
    }),
    solana: Type.Boolean({
      description:
        "Also run a second chain, localsol: a generator of Solana blocks behind a node's RPC, on a free port.",
      default: true,
    }),
    restarts_max: Type.Integer({
      description: 'Restarts of a crashed local chain before the service gives up.',
      default: 5,
      minimum: 0,
      maximum: 1_000,
    }),
    restarts_period_s: Type.Integer({
      description: 'Period in which these restarts are counted.',
      default: 3_600,
      minimum: 1,
      maximum: 86_400,
    }),
  },
  { description: 'The local chain, which runs if no chain is configured.', default: {} },
)

const retentionSchema = Type.Object(
  {
    log_days: days('Days to keep finalized blocks for replay.', 2),
    swaps_days: days('Days to keep swaps.', 30),
    liquidity_days: days('Days to keep liquidity changes.', 30),
    klines_s1_days: days('Days to keep 1-second klines.', 1),
    klines_k1_days: days('Days to keep 1-minute klines; longer intervals are kept forever.', 90),
  },
  { description: 'How long the database keeps history. Whole days are deleted.', default: {} },
)

function days(description: string, count: number) {
  return Type.Integer({ description, default: count, minimum: 1, maximum: 36_500 })
}

const logSchema = Type.Object(
  {
    level: Type.Enum(['auto', 'trace', 'debug', 'info', 'warn', 'error', 'silent'], {
      description:
        'Lowest level of log lines to write. auto: info for start and backfill, warn on a terminal and for other commands.',
      default: 'auto',
      flag: 'log-level',
    }),
    format: Type.Enum(['auto', 'json', 'text'], {
      description:
        'Format of log lines. auto: text if standard error is a terminal, which also shows the steps of a start; otherwise JSON.',
      default: 'auto',
      flag: 'log-format',
    }),
  },
  { description: 'Logging, to standard error.', default: {} },
)

/**
 * The whole configuration. Types, loading, checks, printing and docs/reference/config.md follow
 * from it. Beside JSON Schema's keywords a field may have `flag` (its command-line option),
 * `secret` (`value`: never printed; `url`: only the host is printed) and `address` (checked by the
 * chain kind).
 */
export const configSchema = Type.Object({
  server: serverSchema,
  data_dir: Type.String({
    description: 'Folder for everything the service stores.',
    default: '.chaintape',
    minLength: 1,
    flag: 'data-dir',
  }),
  database_url: Type.Optional(
    Type.String({
      description:
        'PostgreSQL to use, as postgres://user:password@host/database. Default: a private one. Of several hosts (one:5432,two:5432) it uses the writable one.',
      pattern: '^postgres(ql)?://',
      form: 'postgres:// address',
      secret: 'value',
      flag: 'database-url',
    }),
  ),
  database_read_url: Type.Optional(
    Type.String({
      description:
        'A streaming replica of database_url that gateways read history from, as postgres://user:password@host/database. Name one server, not a load balancer. Rows it does not have yet come from memory. If it is down or far behind, gateways read from database_url.',
      pattern: '^postgres(ql)?://',
      form: 'postgres:// address',
      secret: 'value',
    }),
  ),
  market_memory: marketMemoryField,
  role: Type.Enum(['all', 'indexer', 'gateway'], {
    description:
      'all: the whole service in one process. indexer: reads the chains and stores them; standby indexers take over. gateway: serves what indexers store; run any number. See docs/operate/cluster.md.',
    default: 'all',
    flag: 'role',
  }),
  nats: natsSchema,
  api_key: Type.Optional(
    Type.String({
      description:
        'An API key that is always valid and has no limits; 8 to 512 printable characters.',
      pattern: '^[\\x21-\\x7e]{8,512}$',
      form: '8 to 512 printable characters without spaces',
      secret: 'value',
    }),
  ),
  admin_key: Type.Optional(
    Type.String({
      description:
        'Key of the admin API, which creates and revokes API keys. Without it the admin API is off. 16 to 512 printable characters.',
      pattern: '^[\\x21-\\x7e]{16,512}$',
      form: '16 to 512 printable characters without spaces',
      secret: 'value',
    }),
  ),
  response_envelope: Type.Enum(['contract', 'always'], {
    description:
      'contract: bodies as documented per operation; always: every answer in the status, msg, data_type, data envelope.',
    default: 'contract',
    flag: 'response-envelope',
  }),
  compat: Type.Boolean({
    description: 'Compatibility mode, see docs/reference/compat.md.',
    default: false,
    flag: 'compat',
  }),
  udf_path_keys: Type.Boolean({
    description:
      'Also accept the API key of a chart in the path, /udf/<key>/config, for charting libraries that can send neither headers nor a query of their own.',
    default: false,
  }),
  base_urls: Type.Optional(
    Type.Array(Type.String({ pattern: '^https?://', form: 'http:// or https:// address' }), {
      description:
        'Public URLs of this service, listed as servers in its OpenAPI and AsyncAPI documents. Default: the address it listens on.',
      minItems: 1,
    }),
  ),
  devnet: devnetSchema,
  // Names have no hyphen: ids are split at the last one.
  chains: Type.Record('^[a-z][a-z0-9_]{0,31}$', chainSchema, {
    description: 'Chains to serve, by name. Default: the local chain.',
    default: {},
  }),
  plans: Type.Record('^[a-z][a-z0-9_]{0,31}$', planSchema, {
    description:
      'Limits of API keys, by plan name. free, normal, pro and unlimited are built in (docs/reference/keys.md): a field given here replaces that field of a built-in plan; a new plan needs all fields.',
    default: {},
  }),
  retention: retentionSchema,
  limits: limitsSchema,
  log: logSchema,
})

export type Config = Static<typeof configSchema> & { fixed: InternalLimits }
