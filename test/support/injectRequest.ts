// Requests to a server without a socket: through the same listener that requests from sockets come to.
import type { FastifyInstance } from 'fastify'
import { type InjectOptions, inject, type Response } from 'light-my-request'

export async function injectRequest(
  app: FastifyInstance,
  options: InjectOptions | string,
): Promise<Response> {
  await app.ready()
  return inject((request, response) => app.server.emit('request', request, response), options)
}
