"""What is kept between translations, and what an edit makes anew."""
