import type { Client } from 'pg'

/** A word that is a name in SQL, whatever it is otherwise. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** Also in the middle of a COPY that nobody reads any more, where a polite end would wait for ever. */
export async function closeMidway(client: Client): Promise<void> {
  const { connection } = client as unknown as { connection: { stream: { destroy(): void } } }
  const ended = client.end().catch(() => undefined)
  connection.stream.destroy()
  await ended
}
