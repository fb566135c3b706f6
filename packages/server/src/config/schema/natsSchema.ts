import { Type } from '../../lib/schema.ts'

/** The log on NATS, for services with several processes. */
export const natsSchema = Type.Object(
  {
    urls: Type.Array(
      Type.String({
        pattern: '^(nats|tls)://[^/]',
        form: 'nats:// or tls:// address',
        secret: 'url',
      }),
      {
        description:
          'NATS servers with JetStream that keep the log of every chain, as nats://host:4222. Empty: the log is a table of the database.',
        default: [],
      },
    ),
    user: Type.Optional(Type.String({ description: 'User name for the NATS servers.' })),
    password: Type.Optional(
      Type.String({ description: 'Password of nats.user.', secret: 'value' }),
    ),
    token: Type.Optional(
      Type.String({ description: 'Token, in place of user and password.', secret: 'value' }),
    ),
    credentials_file: Type.Optional(
      Type.String({
        description: 'File of credentials as nsc writes it, in place of user, password and token.',
      }),
    ),
    ca_file: Type.Optional(
      Type.String({
        description: 'CA certificates to verify the servers with; turns on TLS.',
      }),
    ),
    cert_file: Type.Optional(
      Type.String({ description: 'Client certificate, if the servers require one.' }),
    ),
    key_file: Type.Optional(Type.String({ description: 'Key of nats.cert_file.' })),
    replicas: Type.Integer({
      description:
        'Servers that keep each entry. 0: three if three urls are given, else one. Used only when a log is created.',
      default: 0,
      minimum: 0,
      maximum: 5,
    }),
    stream_bytes_max: Type.Integer({
      description:
        "Size of one chain's log on the servers. If it is full, ingestion pauses until a snapshot allows old entries to be deleted.",
      default: 10_000_000_000,
      minimum: 1_000_000,
      maximum: 10_000_000_000_000,
    }),
    prefix: Type.String({
      description:
        'Prefix of stream names. Services that share NATS servers need different prefixes.',
      pattern: '^[a-zA-Z0-9_-]{1,32}$',
      form: '1 to 32 letters, digits, _ and -',
      default: 'chaintape',
    }),
  },
  { description: 'The log on NATS JetStream, see docs/operate/cluster.md.', default: {} },
)

/** Is the chains' log on NATS instead of in the database? */
export function isLogOnNats({ nats }: { nats: { urls: readonly string[] } }): boolean {
  return nats.urls.length > 0
}
