// For workerd, the runtime of edge workers: returns the result of the trial as the answer to a
// request.
import { tryClient } from './tryClient.mjs'

// biome-ignore lint/style/noDefaultExport: a worker is what its module exports so
export default {
  async fetch(request) {
    const { searchParams } = new URL(request.url)
    return Response.json(await tryClient(Object.fromEntries(searchParams)))
  },
}
