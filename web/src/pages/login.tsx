import { useState } from 'preact/hooks';
import { loadSession, logIn } from '../state/api';
import { ended } from '../state/session';
import { ErrorMessage } from '../ui/basics';

export function LoginPage() {
  const [error, setError] = useState<Error | null>(null);
  const login = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    try {
      await logIn({ name: String(form.get('name')), secret: String(form.get('secret')) });
      await loadSession();
    } catch (thrown) {
      setError(thrown as Error);
    }
  };
  return (
    <main class="login">
      <h1>Quartz</h1>
      <p>Log in with a name and password, or with a token.{ended.value && ' Your session has ended.'}</p>
      <form onSubmit={login}>
        <label class="field">
          <span>Name</span>
          <input name="name" autocomplete="username" />
          <small>Leave empty to log in with a token.</small>
        </label>
        <label class="field">
          <span>Token or password</span>
          <input name="secret" type="password" required autocomplete="current-password" />
        </label>
        <ErrorMessage error={error} />
        <button type="submit" class="primary">
          Log in
        </button>
      </form>
    </main>
  );
}
