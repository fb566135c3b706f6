/** Said in the place of a page that has nothing to show. */
export const Message = ({ text, isError = false }: { text: string; isError?: boolean }) => (
  <main class="page message">
    <p class={isError ? 'down' : 'soft'} role={isError ? 'alert' : 'status'}>
      {text}
    </p>
  </main>
)
