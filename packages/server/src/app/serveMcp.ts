import { serveMcpStdio } from '../mcp/serveMcp.ts'

export type ServeMcpOptions = { version: string; url: string; apiKey: string }

/** The Model Context Protocol on the standard input and output of this process. */
export async function serveMcp(options: ServeMcpOptions): Promise<void> {
  const { stdin, stdout } = process
  await serveMcpStdio(options, { stdin, stdout })
}
