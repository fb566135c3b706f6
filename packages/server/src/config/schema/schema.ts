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
      description: 'Address to listen on; 0.0.0.0 for every interface.',
      default: '127.0.0.1',
      minLength: 1,
      flag: 'host',
    }),
    port: Type.Integer({
      description: 'TCP port of REST and WebSocket; 0 takes a free one.',
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
      description: 'Agree to permessage-deflate where a WebSocket client offers it.',
      default: false,
    }),
    cors_origins: Type.Array(
      Type.String({
        pattern: '^(\\*|https?://[^/\\s]+)$',
        form: 'origin, as https://example.com, or *',
      }),
      {
        description:
          'Origins whose pages may call the service from a browser, as https://example.com; * is any, an empty list none.',
        default: ['*'],
      },
    ),
    browser_keys: Type.Boolean({
      description:
        'Print an address that opens the terminal, where the service listens on loopback and has no proxy: see docs/guides/terminal.md. false: its page always asks for an API key.',
      default: true,
    }),
    trusted_proxies: Type.Array(Type.String(), {
      description:
        'Addresses and ranges, as 10.0.0.0/8, of proxies of your own: only what these say of a client in X-Forwarded-For or Forwarded is believed.',
      default: [],
    }),
  },
  { description: 'Where the service listens.', default: {} },
)

function apartPort(what: string, word: string) {
  return Type.Optional(
    Type.Integer({
      description: `TCP port of ${what} alone, which server.port then does not answer to, on server.${word}_host; 0 takes a free one.`,
      minimum: 0,
      maximum: 65_535,
    }),
  )
}

function apartHost(what: string) {
  return Type.String({
    description: `Address to listen on for ${what} where it has a port of its own.`,
    default: '127.0.0.1',
    minLength: 1,
  })
}

const devnetSchema = Type.Object(
  {
    host: Type.String({
      description:
        'Address its RPC listens on, whose accounts are unlocked: whoever reaches it can trade, mine and take blocks back.',
      default: '127.0.0.1',
      minLength: 1,
    }),
    port: Type.Integer({
      description: 'TCP port of the local chain; 0 takes a free one.',
      default: 8545,
      minimum: 0,
      maximum: 65_535,
      flag: 'devnet-port',
    }),
    seed: Type.Integer({
      description: 'Seed of the bots: the same seed trades the same way.',
      default: 1,
      minimum: 0,
      maximum: 4_294_967_295,
    }),
    history_s: Type.Integer({
      description: 'Seconds of market time mined before the service is ready.',
      default: 1_800,
      minimum: 0,
      maximum: 86_400,
    }),
    block_ms: Type.Integer({
      description:
        'Time between two blocks of the local EVM chain once its history is mined; 200 is five a second, which then share a second.',
      default: 1_000,
      minimum: 100,
      maximum: 60_000,
    }),
    blocks_max: Type.Integer({
      description:
        'Blocks at which the local chain ends and a fresh one takes its place: its memory grows with each.',
      default: 20_000,
      minimum: 64,
      maximum: 1_000_000,
    }),
    solana: Type.Boolean({
      description:
        'Run a second chain beside it, localsol: a generator of Solana blocks behind the RPC of a node, on a free port.',
      default: true,
    }),
    restarts_max: Type.Integer({
      description:
        'How often the local chain is started again when it ends by itself before the service gives up.',
      default: 5,
      minimum: 0,
      maximum: 1_000,
    }),
    restarts_period_s: Type.Integer({
      description: 'Time within which those restarts count.',
      default: 3_600,
      minimum: 1,
      maximum: 86_400,
    }),
  },
  { description: 'The local chain, which runs when no other chain is configured.', default: {} },
)

const retentionSchema = Type.Object(
  {
    log_days: days('Days that finished blocks are kept for replay.', 2),
    swaps_days: days('Days that swaps are kept.', 30),
    liquidity_days: days('Days that liquidity changes are kept.', 30),
    klines_s1_days: days('Days that 1-second klines are kept.', 1),
    klines_k1_days: days('Days that 1-minute klines are kept; longer intervals stay.', 90),
  },
  { description: 'How long history stays in the database; whole days are dropped.', default: {} },
)

function days(description: string, count: number) {
  return Type.Integer({ description, default: count, minimum: 1, maximum: 36_500 })
}

const logSchema = Type.Object(
  {
    level: Type.Enum(['auto', 'trace', 'debug', 'info', 'warn', 'error', 'silent'], {
      description:
        'Least important log lines to write. auto: info of start and backfill, warn on a terminal and of other commands.',
      default: 'auto',
      flag: 'log-level',
    }),
    format: Type.Enum(['auto', 'json', 'text'], {
      description:
        'How log lines look. auto: text where standard error is a terminal, which then shows the steps of a start too; else JSON.',
      default: 'auto',
      flag: 'log-format',
    }),
  },
  { description: 'Log lines, on standard error.', default: {} },
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
    description: 'Folder for everything the service keeps.',
    default: '.chaintape',
    minLength: 1,
    flag: 'data-dir',
  }),
  database_url: Type.Optional(
    Type.String({
      description:
        'PostgreSQL to use, as postgres://user:password@host/database; without it the service runs its own. Of several hosts (one:5432,two:5432) the writable one.',
      pattern: '^postgres(ql)?://',
      form: 'postgres:// address',
      secret: 'value',
      flag: 'database-url',
    }),
  ),
  database_read_url: Type.Optional(
    Type.String({
      description:
        'A streaming replica of database_url that gateways read history from, as postgres://user:password@host/database; one server, not a balancer in front of several. What it lacks comes from memory, and from database_url while it is away or far behind.',
      pattern: '^postgres(ql)?://',
      form: 'postgres:// address',
      secret: 'value',
    }),
  ),
  market_memory: marketMemoryField,
  role: Type.Enum(['all', 'indexer', 'gateway'], {
    description:
      'all: the whole service in one process. indexer: reads the chains and stores them; several take over from one another. gateway: serves what indexers store; any number. See docs/operate/cluster.md.',
    default: 'all',
    flag: 'role',
  }),
  nats: natsSchema,
  api_key: Type.Optional(
    Type.String({
      description: 'An API key that always works, without limits; 8 to 512 printable characters.',
      pattern: '^[\\x21-\\x7e]{8,512}$',
      form: '8 to 512 printable characters without spaces',
      secret: 'value',
    }),
  ),
  admin_key: Type.Optional(
    Type.String({
      description:
        'Key of the admin API, which makes and ends API keys; without it there is none. 16 to 512 printable characters.',
      pattern: '^[\\x21-\\x7e]{16,512}$',
      form: '16 to 512 printable characters without spaces',
      secret: 'value',
    }),
  ),
  response_envelope: Type.Enum(['contract', 'always'], {
    description:
      'contract: bodies as the interface says; always: every answer in the status, msg, data_type, data envelope.',
    default: 'contract',
    flag: 'response-envelope',
  }),
  compat: Type.Boolean({
    description: 'Compatibility mode: response_envelope always, see docs/reference/compat.md.',
    default: false,
    flag: 'compat',
  }),
  udf_path_keys: Type.Boolean({
    description:
      'Take the API key of a chart from the path as well, /udf/<key>/config: for charting libraries that send neither headers nor a query of their own.',
    default: false,
  }),
  base_urls: Type.Optional(
    Type.Array(Type.String({ pattern: '^https?://', form: 'http:// or https:// address' }), {
      description:
        'Public addresses of this service, the servers of its OpenAPI and AsyncAPI documents; none: the address that it listens on.',
      minItems: 1,
    }),
  ),
  devnet: devnetSchema,
  // Names have no hyphen: ids are split at the last one.
  chains: Type.Record('^[a-z][a-z0-9_]{0,31}$', chainSchema, {
    description: 'Chains to serve, by name; none: the local chain.',
    default: {},
  }),
  plans: Type.Record('^[a-z][a-z0-9_]{0,31}$', planSchema, {
    description:
      'What API keys may do, by the name of their plan. free, normal, pro and unlimited are built in (docs/reference/keys.md): a field given for one of them replaces that field; a plan of your own needs every field.',
    default: {},
  }),
  retention: retentionSchema,
  limits: limitsSchema,
  log: logSchema,
})

export type Config = Static<typeof configSchema> & { fixed: InternalLimits }
