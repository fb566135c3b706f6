import { type ClientConfig, types } from 'pg'

/** A server named by its parts (a private one), or by a URL. */
export type StoreConnection =
  | { host: string; port: number; user: string; database: string }
  | { databaseUrl: string }

const int8Oid = 20

/** How long one try to connect may take: a server that hangs takes connections and never answers. */
export const connectMsMax = 10_000

/** Sequences, block numbers and times are below 2^53. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (oid === int8Oid) return Number
  return types.getTypeParser(oid, format)
}

export function clientConfigOf(connection: StoreConnection, applicationName: string): ClientConfig {
  const shared = {
    application_name: applicationName,
    keepAlive: true,
    connectionTimeoutMillis: connectMsMax,
    types: { getTypeParser } as NonNullable<ClientConfig['types']>,
  }
  if ('databaseUrl' in connection) return { connectionString: connection.databaseUrl, ...shared }
  return { ...connection, ssl: false, ...shared }
}

/** For messages: never with a password. */
export function describeConnection(connection: StoreConnection): string {
  if (!('databaseUrl' in connection)) return connection.host
  return connection.databaseUrl.replace(/\?.*$/, '').replace(/^(\w+:\/\/).*@/, '$1')
}
