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
          'NATS servers with JetStream that keep the log of every chain, as nats://host:4222; none: the log is a table of the database.',
        default: [],
      },
    ),
    user: Type.Optional(Type.String({ description: 'Who we are to the NATS servers.' })),
    password: Type.Optional(
      Type.String({ description: 'Password of nats.user.', secret: 'value' }),
    ),
    token: Type.Optional(
      Type.String({ description: 'In place of user and password.', secret: 'value' }),
    ),
    credentials_file: Type.Optional(
      Type.String({ description: 'In place of these: a file of credentials as nsc writes it.' }),
    ),
    ca_file: Type.Optional(
      Type.String({
        description:
          'Certificates that those of the servers are held to; connections are encrypted.',
      }),
    ),
    cert_file: Type.Optional(
      Type.String({ description: 'Our own certificate, where the servers ask for one.' }),
    ),
    key_file: Type.Optional(Type.String({ description: 'Key of nats.cert_file.' })),
    replicas: Type.Integer({
      description:
        'Servers that keep each entry; 0: three where three urls are given, else one. Only asked when a log is made.',
      default: 0,
      minimum: 0,
      maximum: 5,
    }),
    stream_bytes_max: Type.Integer({
      description:
        "Size of one chain's log on the servers. A full one takes no entry, and ingestion pauses until a snapshot lets old ones go.",
      default: 10_000_000_000,
      minimum: 1_000_000,
      maximum: 10_000_000_000_000,
    }),
    prefix: Type.String({
      description: 'First part of the names of streams: services that share servers have one each.',
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
