//! Tokens that are read by the rules of the edition of this crate.

use proc_macro::{Group, Span, TokenStream, TokenTree};

/// Returns the tokens unchanged, but read by the rules of the edition of this crate, whichever
/// crate they come from. Costs a pass over them.
#[proc_macro]
pub fn of_its_edition(tokens: TokenStream) -> TokenStream {
    placed(tokens, Span::call_site())
}

/// Gives each token, also inside groups, the span `span`, which decides by which edition's rules
/// the compiler reads the token. Errors are then shown there too.
fn placed(tokens: TokenStream, span: Span) -> TokenStream {
    let place = |token| {
        let mut token = match token {
            TokenTree::Group(group) => {
                let inner = placed(group.stream(), span);
                TokenTree::Group(Group::new(group.delimiter(), inner))
            }
            token => token,
        };
        token.set_span(span);
        token
    };
    tokens.into_iter().map(place).collect()
}
